import RallyWire
import Testing

@Suite struct ProfileTextTests {
  @Test func `a display name is counted in grapheme clusters and cleaned`() throws {
    let family = String(repeating: "👨‍👩‍👧", count: 40)
    #expect(try ProfileText.displayName(family) == family)
    #expect(throws: FieldProblem.self) { try ProfileText.displayName(family + "x") }
    #expect(throws: FieldProblem.self) { try ProfileText.displayName(" \u{202E} ") }
    #expect(try ProfileText.displayName(" Ana\u{7} \n") == "Ana")
  }

  @Test func `a bio may be empty and has at most 160 clusters`() throws {
    #expect(try ProfileText.bio("") == "")
    #expect(throws: FieldProblem.self) { try ProfileText.bio(String(repeating: "é", count: 161)) }
  }

  @Test(arguments: ["ana", "@x", "a@", "a@b@c", "a b@c", "a@.c", "a@c."])
  func `an address without the shape of one is refused`(typed: String) {
    #expect(throws: FieldProblem.self) { try ProfileText.email(typed) }
  }

  @Test func `an address is trimmed and lowered`() throws {
    #expect(try ProfileText.email(" Ana@Example.org ") == "ana@example.org")
  }

  @Test func `a password is limited in characters below and in bytes above`() throws {
    #expect(throws: FieldProblem.self) { try ProfileText.password("12345") }
    #expect(try ProfileText.password("123456") == "123456")
    #expect(throws: FieldProblem.self) {
      try ProfileText.password(String(repeating: "é", count: 37))
    }
  }
}
