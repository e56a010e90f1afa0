import Testing

@testable import RallyMap

struct TextFoldingTests {
  @Test(arguments: [
    ("São Paulo", "sao paulo"), ("Zürich", "zurich"), ("Łódź", "lodz"), ("Tromsø", "tromso"),
    ("Saint-Denis", "saint denis"), ("N’Djamena", "ndjamena"), ("Nukuʻalofa", "nukualofa"),
    ("İstanbul", "istanbul"), ("Ħamrun", "hamrun"), ("  St. John's  ", "st johns"),
    ("Zu\u{308}rich", "zurich"), ("ﬁ", "fi"), ("", ""), ("東京", ""),
  ])
  func `a text folds to plain words`(_ text: String, _ folded: String) {
    #expect(TextFolding.folded(text) == folded)
  }

  @Test(arguments: [
    ("São Paulo", "sao paulo"), ("Οδός Ερμού", "οδος ερμου"), ("улица Й. Ёлкина", "улица и елкина"),
    ("東京通り", "東京通り"), ("हिन्दी १२", "हिनदी १२"), ("A·B—C’s", "a b cs"), ("…", ""),
  ])
  func `in any script the letters and digits of all are kept`(_ text: String, _ folded: String) {
    #expect(TextFolding.foldedInAnyScript(text) == TextFolding.foldedInAnyScript(folded))
    #expect(TextFolding.foldedInAnyScript(text).isEmpty == folded.isEmpty)
  }
}
