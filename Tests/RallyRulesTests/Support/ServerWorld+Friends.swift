import Foundation
import RallyTestSupport
import RallyWire

@testable import RallyRules
@testable import RallyStorage

extension ServerWorld {
  /// - Returns: The machine word of a refusal; nil when the call succeeded.
  func perform(_ call: FriendModel.Call, _ clientID: UUID) async throws -> String? {
    let id = members[call.about].id
    switch call.act {
    case .vanish:
      let (id, time) = (members[call.by].caller.userID, now)
      _ = try await storage.write { try AccountDeletion.delete(id, at: time, in: $0) }
      return nil
    case .ask:
      return try await refusal(of: RequestFriend(userID: id), clientID: clientID, as: call.by)
    case .accept, .decline:
      return try await refusal(
        of: RespondToFriendRequest(
          userID: id, accept: call.act == .accept), clientID: clientID, as: call.by)
    case .cancel:
      return try await refusal(
        of: CancelFriendRequest(userID: id), clientID: clientID, as: call.by)
    case .remove:
      return try await refusal(of: RemoveFriend(userID: id), clientID: clientID, as: call.by)
    case .block:
      return try await refusal(of: BlockUser(userID: id), clientID: clientID, as: call.by)
    case .unblock:
      return try await refusal(of: UnblockUser(userID: id), clientID: clientID, as: call.by)
    }
  }

  func status(of other: Int, for me: Int) async throws -> String {
    let call = FetchFriendshipStatus(userID: members[other].id)
    if let refusal = try await refusal(of: call, as: me) { return refusal }
    return try await result(of: call, as: me).rawValue
  }

  /// What the tables say.
  func friendModel() async throws -> FriendModel {
    let numbers = Dictionary(
      uniqueKeysWithValues: members.enumerated().map { ($1.caller.userID, $0) })
    return try await storage.read { database in
      var model = FriendModel()
      let living = try String.fetchSet(database, sql: "SELECT id FROM users")
      model.gone = Set(numbers.filter { !living.contains($0.key) }.values)
      let rows = try Row.fetchAll(
        database, sql: "SELECT smaller, larger, requester, status FROM friendships")
      for row in rows {
        guard let a = numbers[try row["smaller"]], let b = numbers[try row["larger"]],
          let asker = numbers[try row["requester"]]
        else {
          throw StorageFailure.damaged("a stranger's row")
        }
        model.bonds[FriendModel.Pair(a, b)] =
          try row["status"] as String == "accepted" ? .friends : .asked(by: asker)
      }
      for row in try Row.fetchAll(database, sql: "SELECT blocker, blocked FROM blocks") {
        guard let blocker = numbers[try row["blocker"]],
          let blocked = numbers[try row["blocked"]]
        else { continue }
        model.blocks.insert([blocker, blocked])
      }
      return model
    }
  }
}
