import RallyText
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

  @Test func `tags are kept in a flag alone`() {
    let scotland = "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}"
    #expect("\(scotland)!".cleanedForDisplay == "\(scotland)!")
    #expect("a\u{E0067}\u{E0062}b".cleanedForDisplay == "ab")
  }

  @Test func `what acts on a display can be told exactly instead`() {
    let hostile = "a\u{9B}b\u{202E}c\u{2028}d\u{7F}e\u{E0041}é"
    let escaped = #"a\u009Bb\u202Ec\u2028d\u007Fe\uDB40\uDC41é"#
    #expect(hostile.escapedForDisplay == escaped)
  }

  @Test(arguments: [
    "", "  ", "\u{2800}", "\u{3164}\u{3164}", "\u{115F}\u{1160}", "\u{FFA0}", "\u{200D}\u{FE0F}",
    "\u{200B}\u{2060}\u{AD}", "\u{E0041}", "\u{3000}",
  ])
  func `a text without any glyph draws nothing`(text: String) {
    #expect(text.drawsNothing)
    #expect(!(text + "a").drawsNothing)
  }
}
