import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyServer

/// What calls answer that have no result, or one only for who asks for it.
@Suite struct VoidAnswerTests {
  private func reply(
    to function: some RemoteMutation, of person: Person, prefer: String
  ) async throws -> RawClient.Reply {
    try await person.client.send(
      .POST, "/rest/v1/rpc/\(type(of: function).name)", data: WireJSON.encode(function),
      headers: ["Prefer": prefer])
  }

  @Test(arguments: ["", "return=minimal", "return=headers-only", "return=representation"])
  func `only a call that asks for it is answered with what it made`(
    _ prefer: String
  ) async throws {
    try await TestServer.with { server in
      let (mara, nils) = (
        try await Person.signUp("mara", on: server), try await Person.signUp("nils", on: server)
      )
      let acts: [(Person, any RemoteMutation)] = [
        (mara, RequestFriend(userID: nils.id)), (mara, CancelFriendRequest(userID: nils.id)),
        (mara, RequestFriend(userID: nils.id)),
        (nils, RespondToFriendRequest(userID: mara.id, accept: false)),
        (mara, RequestFriend(userID: nils.id)),
        (nils, RespondToFriendRequest(userID: mara.id, accept: true)),
        (mara, SetLocationSharing(userID: nils.id, mode: .precise)),
        (mara, AskLocation(userID: nils.id)), (nils, CloseLocationAsk(userID: mara.id)),
        (mara, RemoveFriend(userID: nils.id)), (mara, BlockUser(userID: nils.id)),
        (mara, UnblockUser(userID: nils.id)),
      ]
      for (person, function) in acts {
        let name = type(of: function).name
        let reply = try await reply(to: function, of: person, prefer: prefer)
        if function is RequestFriend, prefer == RequestOutcome.preference {
          #expect(reply.status == 200)
          #expect(try reply.decoded(RequestOutcome.self).status == .outgoing)
        } else {
          #expect(reply.status == 204, "\(name)")
          #expect(reply.body.isEmpty, "\(name)")
          #expect(reply.headers.first(name: "content-type") == nil, "\(name)")
        }
      }
    }
  }
}
