import Foundation
import RallyWire
import Testing

@Suite struct UUIDTextTests {
  @Test func `text of a UUID is Foundation's, in lower case, and leads back to it`() {
    for _ in 0..<200 {
      let id = UUID()
      #expect(id.wireText == id.uuidString.lowercased())
      #expect(UUID(wireText: id.wireText) == id)
      #expect(UUID(wireText: id.uuidString) == id)
    }
  }

  @Test(arguments: [
    "", "-", "e621e1f8-c36c-495a-93fc-0c247a3e6e5", "e621e1f8-c36c-495a-93fc-0c247a3e6e5f0",
    "e621e1f8c36c495a93fc0c247a3e6e5f", "e621e1f8-c36c-495a-93fc0c247a3e6e5f----",
    "e621e1f-8c36c-495a-93fc-0c247a3e6e5f", "{e621e1f8-c36c-495a-93fc-0c247a3e6e5f}",
    " e621e1f8-c36c-495a-93fc-0c247a3e6e5f", "g621e1f8-c36c-495a-93fc-0c247a3e6e5f",
    "e621e1f8-c36c-495a-93fc-0c247a3e6e5é", "0x21e1f8-c36c-495a-93fc-0c247a3e6e5f",
  ])
  func `other text is no UUID`(text: String) {
    #expect(UUID(wireText: text) == nil)
  }
}
