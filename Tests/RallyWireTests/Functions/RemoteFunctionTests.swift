import Foundation
import RallyWire
import Testing

@Suite struct RemoteFunctionTests {
  let ana = UUID()

  @Test func `arguments carry their prefix and ids are written in lower case`() throws {
    let repeatID = UUID()
    let body = try WireJSON.text(FunctionCall(RequestFriend(userID: ana), clientID: repeatID))
    #expect(
      body
        == #"{"p_client_id":"\#(repeatID.wireText)","p_user_id":"\#(ana.uuidString.lowercased())"}"#
    )
  }

  @Test func `arguments that were not given are left out`() throws {
    #expect(try WireJSON.text(FetchFriends()) == "{}")
    #expect(try WireJSON.text(UpdateProfile(bio: "")) == #"{"p_bio":""}"#)
    #expect(try WireJSON.text(BlockUser(userID: ana)) == #"{"p_user_id":"\#(ana.wireText)"}"#)
  }

  @Test func `every declared argument name starts with the prefix`() {
    let declared: [[String]] = [
      FetchFriends.parameters, SearchPeople.parameters, FetchFriendRequests.parameters,
      FetchFriendshipStatus.parameters, FetchBlockedUsers.parameters, RequestFriend.parameters,
      CancelFriendRequest.parameters, RemoveFriend.parameters, BlockUser.parameters,
      UnblockUser.parameters, RespondToFriendRequest.parameters, FetchProfiles.parameters,
      UpdateProfile.parameters,
    ]
    for names in declared {
      #expect(!names.isEmpty)
      #expect(names.allSatisfy { $0.hasPrefix("p_") })
    }
  }

  @Test func `an argument is named after its property unless it says its name`() {
    #expect(
      CreateInvitation.parameters
        == ["p_mission_id", "p_uses", "p_expires_at", "p_client_id"])
    #expect(AddSSHKey.arguments == ["p_key", "p_key_id", "p_name", "p_proof"])
    #expect(FetchMissions.arguments.contains("p_radius_m"))
    #expect(AddSSHKey.CodingKeys(stringValue: "p_name") == .keyName)
    #expect(AddSSHKey.CodingKeys(stringValue: "keyName") == nil)
  }

  @Test func `a list of ids survives the way there and back`() throws {
    let call = FetchProfiles(userIDs: [ana, UUID()])
    let read = try WireJSON.decode(FetchProfiles.self, from: WireJSON.encode(call))
    #expect(read.userIDs == call.userIDs)
  }

  @Test func `a refusal always has its four keys`() throws {
    let text = try WireJSON.text(FunctionFailure(.notFound, "Nobody has this name."))
    #expect(
      text
        == #"{"code":"P0001","details":null,"hint":"not_found","message":"Nobody has this name."}"#)
    let read = try WireJSON.decode(FunctionFailure.self, from: Data(text.utf8))
    #expect(read.reason == .notFound)
  }
}
