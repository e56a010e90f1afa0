import RallyWire
import Testing

@Suite struct ProfileTextTests {
  @Test func `a display name is counted in grapheme clusters and cleaned`() throws {
    let family = String(repeating: "👨‍👩‍👧", count: 8)
    #expect(try ProfileText.displayName(family) == family)
    let long = String(repeating: "é", count: 40)
    #expect(try ProfileText.displayName(long) == long)
    #expect(throws: FieldProblem(field: .displayName, advice: "Use at most 40 characters.")) {
      try ProfileText.displayName(long + "x")
    }
    #expect(throws: FieldProblem.self) { try ProfileText.displayName(" \u{202E} ") }
    #expect(try ProfileText.displayName(" Ana\u{7} \n") == "Ana")
  }

  @Test func `a bio may be empty and has at most 160 clusters`() throws {
    #expect(try ProfileText.bio("") == "")
    #expect(throws: FieldProblem.self) { try ProfileText.bio(String(repeating: "é", count: 161)) }
  }

  @Test(arguments: [
    "ana", "@x", "a@", "a@b@c", "a b@c", "a@.c", "a@c.", "a\u{9B}31m@x.org", "a\u{202E}@x.org",
    "a\u{2028}b@x.org", "a\u{200B}@x.org", "a@x\u{3164}.org", "a\u{A0}@x.org", "a\u{7F}@x.org",
  ])
  func `an address without the shape of one is refused`(typed: String) {
    #expect(throws: FieldProblem.self) { try ProfileText.email(typed) }
  }

  @Test func `an address may have the letters of any script`() throws {
    for address in ["josé@exämple.org", "jose\u{301}@x.org", "用户@例子.中国", "o'neil+x@a-b.org"] {
      #expect(try ProfileText.email(address) == address)
    }
  }

  @Test(arguments: ["\u{2800}", "\u{3164}", "\u{115F}\u{1160}", "\u{FFA0} \u{200D}", "\u{E0041}"])
  func `a name that nobody would see is refused`(name: String) {
    let advice = "Write a name that friends will see."
    #expect(throws: FieldProblem(field: .displayName, advice: advice)) {
      try ProfileText.displayName(name)
    }
    #expect(throws: FieldProblem.self) { try MissionText.title(name) }
    #expect(throws: FieldProblem.self) { try MissionText.objective(name) }
    #expect(throws: FieldProblem.self) { try MissionText.line(name) }
    #expect((try? ProfileText.bio(name)) == "")
  }

  @Test func `an address is limited in bytes and in marks on one letter`() throws {
    let rest = "@example.org"
    let longest = String(repeating: "a", count: 254 - rest.utf8.count)
    #expect(try ProfileText.email(longest + rest) == longest + rest)
    let marked = "e" + String(repeating: "\u{301}", count: TextLimits.marks)
    #expect(try ProfileText.email(marked + rest) == marked + rest)
    for address in ["a\(longest)\(rest)", "\(marked)\u{301}\(rest)"] {
      #expect(throws: FieldProblem.self) { try ProfileText.email(address) }
    }
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
