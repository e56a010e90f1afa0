import RallyWire
import RallyWords
import Testing

struct WithheldReasonTextTests {
  @Test func `each reason has a sentence and an advice of its own`() {
    let sentences = WithheldReason.allCases.map { $0.sentence(about: "@ben") }
    #expect(Set(sentences).count == sentences.count)
    #expect(sentences.allSatisfy { $0.contains("@ben") || $0.contains("position") })
    #expect(
      WithheldReason.allCases.allSatisfy { $0.advice(about: "ben").contains("`rally ") })
  }
}
