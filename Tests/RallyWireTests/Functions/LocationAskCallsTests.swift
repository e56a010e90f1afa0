import Foundation
import RallyWire
import Testing

@Suite struct LocationAskCallsTests {
  private let id = UUID()

  @Test func `asking and answering carry the contract's arguments`() throws {
    let client = UUID()
    #expect(
      try WireJSON.text(FunctionCall(AskLocation(userID: id), clientID: client))
        == #"{"p_client_id":"\#(client.wireText)","p_user_id":"\#(id.wireText)"}"#)
    #expect(
      try WireJSON.text(CloseLocationAsk(userID: id)) == #"{"p_user_id":"\#(id.wireText)"}"#)
    #expect(try WireJSON.text(FetchLocationAsks()) == "{}")
  }

  @Test func `a row survives the way there and back, and its text is cleaned`() throws {
    let row = LocationAskRecord(
      userID: id, username: "ana", displayName: "Ana", direction: .incoming,
      askedAt: WireTime(microseconds: 1_000_000))
    #expect(try WireJSON.decode(LocationAskRecord.self, from: WireJSON.encode(row)) == row)
    let hostile = Data(
      """
      {"user_id":"\(id.wireText)","username":"ana","display_name":"A\\u001B[31mna",
       "direction":"outgoing","asked_at":"\(row.askedAt)"}
      """.utf8)
    let read = try WireJSON.decode(LocationAskRecord.self, from: hostile)
    #expect(!read.displayName.contains("\u{1B}") && read.direction == .outgoing)
  }
}
