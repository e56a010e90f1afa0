import RallyWire
import Testing

@Suite struct MissionTextTests {
  @Test func `text is cleaned to one line and trimmed`() throws {
    #expect(try MissionText.title(" Tiles\nof \u{1B}[1mLisbon\u{202E} ") == "Tiles of [1mLisbon")
    #expect(try MissionText.brief(" \n ") == "")
    #expect(try MissionText.line("👩‍👩‍👧 hello") == "👩‍👩‍👧 hello")
  }

  @Test func `lengths are counted as people count`() throws {
    let long = String(repeating: "é", count: 60)
    #expect(try MissionText.title(long) == long)
    #expect(throws: FieldProblem(field: .title, advice: "Use at most 60 characters.")) {
      try MissionText.title(long + "x")
    }
    #expect(throws: FieldProblem(field: .brief, advice: "Use at most 500 characters.")) {
      try MissionText.brief(String(repeating: "x", count: 501))
    }
    #expect(throws: FieldProblem(field: .text, advice: "Use at most 500 characters.")) {
      try MissionText.line(String(repeating: "x", count: 501))
    }
  }

  @Test func `nothing at all is answered on the field`() {
    #expect(throws: FieldProblem(field: .title, advice: "Give the mission a title.")) {
      try MissionText.title("\u{200E} ")
    }
    #expect(throws: FieldProblem(field: .text, advice: "Write something first.")) {
      try MissionText.line("")
    }
    #expect {
      try MissionText.objective(" ")
    } throws: { ($0 as? FieldProblem)?.field == .objectives }
  }
}
