import Testing

@testable import RallyClient

@Suite struct UnansweredCallTests {
  @Test func `the same call keeps its client id until its response arrives`() {
    var line = UnansweredCall<String>()
    let first = line.clientID(for: "almost there")
    #expect(line.clientID(for: "almost there") == first)
    line.answered()
    #expect(line.clientID(for: "almost there") != first)
  }

  @Test func `another call has another client id`() {
    var line = UnansweredCall<String>()
    let first = line.clientID(for: "almost there")
    #expect(line.clientID(for: "at the door") != first)
    #expect(line.clientID(for: "almost there") != first)
  }
}
