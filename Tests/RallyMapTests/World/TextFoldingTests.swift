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
}
