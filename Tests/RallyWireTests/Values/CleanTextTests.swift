import RallyWire
import Testing

@Suite struct CleanTextTests {
  @Test func `nothing that acts on a terminal survives`() {
    let hostile = "a\u{1b}]0;title\u{7}b\u{9b}31mc\u{202e}d\u{2066}e\u{7f}f\tg\nh\u{2028}i"
    #expect(hostile.cleanedForDisplay == "a]0;titleb31mcdef g h i")
  }

  @Test func `emoji sequences, accents and wide text stay as they are`() {
    let text = "👨‍👩‍👧 e\u{301} 田中 健司 ❤️ فارسی"
    #expect(text.cleanedForDisplay == text)
  }

  @Test func `no scalar of the control ranges is ever kept`() {
    for value in UInt32(0)...0x2_FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let cleaned = String(Character(scalar)).cleanedForDisplay
      let isControl = scalar.properties.generalCategory == .control
      if isControl { #expect(cleaned.isEmpty || cleaned == " ") }
    }
  }
}
