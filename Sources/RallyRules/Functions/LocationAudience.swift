import RallyStorage
import RallyWire

/// The precision at which each reader may see a user's position at a given time: what is shared with
/// friends, and what is shown to members of a mission on the way to it. The finer one counts.
package struct LocationAudience: Sendable {
  package let owner: String
  /// What friends without a decision of their own may see.
  let general: SharingPermission
  /// By friend; friends who may see nothing are included.
  let friends: [String: SharingPermission]

  /// Whether nobody sees the owner, whatever is shared.
  let isGhost: Bool

  /// The members of missions who see the owner on the way there, with the end of that.
  let followers: [String: WireTime]

  /// The most precise mode of all readers.
  var limit: SharingMode {
    !followers.isEmpty
      ? .precise : friends.values.compactMap { try? $0.allowed.get() }.max() ?? .off
  }

  package init(of owner: String, at time: WireTime, in database: Database) throws {
    self.owner = owner
    let decisions = try SharingRecords.all(of: owner, in: database)
    isGhost = decisions.isGhost
    general = decisions.permission(for: nil, at: time)
    friends = try FriendRecords.friendIDs(of: owner, in: database).reduce(into: [:]) {
      $0[$1] = decisions.permission(for: $1, at: time)
    }
    followers = isGhost ? [:] : try OnMyWayRecords.readers(of: owner, at: time, in: database)
  }

  /// How precisely a reader may see the owner, or why not at all.
  ///
  /// The owner sees all that is stored, so that two terminals of one account agree; that alone
  /// is no reason to store anything.
  package func allowed(_ reader: String) -> Result<SharingMode, WithheldReason> {
    reader == owner || followers[reader] != nil
      ? .success(.precise) : friends[reader]?.allowed ?? .failure(.notFriend)
  }

  /// The same as a mode; `off` if the reader may see nothing.
  package func mode(for reader: String) -> SharingMode { (try? allowed(reader).get()) ?? .off }
}
