import RallyWire

/// Who may see how much of one person's position at one moment.
struct LocationAudience: Sendable {
  let owner: String
  /// By friend; friends with `off` are among them.
  let friends: [String: SharingMode]

  /// What the most exact friend may see.
  var limit: SharingMode { friends.values.max() ?? .off }

  init(of owner: String, at time: WireTime, in database: Database) throws {
    self.owner = owner
    let decisions = try SharingRecords.all(of: owner, in: database)
    friends = try FriendRecords.friendIDs(of: owner, in: database).reduce(into: [:]) {
      $0[$1] =
        LocationVisibility.sharing(own: decisions[$1], default: decisions[owner], at: time)
        .sharing.mode
    }
  }

  /// The owner sees all that is stored, so that two terminals of one account agree; that alone
  /// is no reason to store anything.
  func mode(for reader: String) -> SharingMode {
    reader == owner ? .precise : friends[reader] ?? .off
  }
}
