import Foundation
import RallyRules
import RallyStorage
import RallyWire

/// The friends whom a phone's owner may see, as the reply to a post of OwnTracks.
package struct PhoneFriends: Sendable {
  /// How many friends a reply has at most; those of whom the newest is known.
  static let limit = 1000
  /// How many cards a reply has at most; the others follow with the next.
  static let cardLimit = 50
  /// After this an unchanged card is sent again.
  static let cardLife = Duration.seconds(86_400)

  let storage: Storage
  let budgets: BudgetKeeper
  let now: @Sendable () -> WireTime

  package init(
    storage: Storage, budgets: BudgetKeeper, now: @escaping @Sendable () -> WireTime = { .now }
  ) {
    self.storage = storage
    self.budgets = budgets
    self.now = now
  }

  /// - Throws: `StorageFailure`.
  package func messages(for phone: StoredPhone) async throws -> [OwnTracksMessage] {
    let time = now()
    let limit = Duration.milliseconds(budgets[.readMilliseconds])
    let (seen, sent) = try await storage.read(within: limit) { database in
      (
        try PhoneFriends.seen(by: phone.owner.wireText, at: time, in: database),
        try PhoneCardRecords.all(of: phone.id, in: database)
      )
    }
    let due = seen.filter { friend in
      sent[friend.row.userID].map {
        $0.digest != friend.cardDigest || !$0.at.isRecent(within: PhoneFriends.cardLife, at: time)
      } ?? true
    }.prefix(PhoneFriends.cardLimit)
    if !due.isEmpty {
      let cards = Dictionary(
        due.map { ($0.row.userID, PhoneCardRecords.Sent(digest: $0.cardDigest, at: time)) }
      ) { first, _ in first }
      try await storage.write { try PhoneCardRecords.set(cards, of: phone.id, in: $0) }
    }
    return due.map { .card($0.card) } + seen.map { .location($0.location) }
      + (phone.isReportWanted ? [.command(.reportLocation)] : [])
  }

  /// Everything goes through `LocationVisibility`.
  static func seen(
    by reader: String, at time: WireTime, limit: Int = PhoneFriends.limit, in database: Database
  ) throws -> [Friend] {
    let rows = try LocationVisibility.friendLocations(for: reader, at: time, in: database)
    guard !rows.isEmpty else { return [] }
    let shown = rows.sorted { $0.recordedAt > $1.recordedAt }.prefix(limit).map(\.userID)
    let people = try named(shown, of: reader, limit: limit, in: database)
    let ids = TrackerIDs.assigned(to: people)
    let byID = Dictionary(people.map { ($0.id, $0) }) { first, _ in first }
    let isShown = Set(shown)
    return rows.compactMap { row in
      guard isShown.contains(row.userID), let profile = byID[row.userID], let tid = ids[row.userID]
      else { return nil }
      return Friend(row: row, profile: profile, tid: tid)
    }
  }

  /// The people who get an id: all friends, so that a friend's id stays when another one hides; of
  /// somebody with very many friends those who are shown.
  private static func named(
    _ shown: [UUID], of reader: String, limit: Int, in database: Database
  ) throws -> [ProfileRecord] {
    guard try FriendRecords.friendCount(of: reader, in: database) <= limit else {
      return try shown.compactMap { try ProfileRecords.find($0.wireText, in: database) }
    }
    return try FriendRecords.friends(
      of: reader, matching: nil, slice: Slice(limit: limit, offset: 0), in: database
    ).map(\.profile)
  }

  /// One friend as one reader sees them.
  struct Friend: Hashable, Sendable {
    var row: LocationRecord
    var profile: ProfileRecord
    var tid: String

    private var topic: String { "owntracks/\(profile.username)/phone" }

    var location: OwnTracksLocation { OwnTracksLocation(row, tid: tid, topic: topic) }

    var card: OwnTracksCard {
      OwnTracksCard(tid: tid, name: profile.displayName, topic: topic)
    }

    /// Changes with what the card says.
    var cardDigest: String {
      Base64URL.encode(
        Sodium.sha256("\(tid) \(profile.username) \(profile.displayName)".utf8).prefix(16))
    }
  }
}

/// The two characters by which OwnTracks tells people apart, unique among those of one reader.
enum TrackerIDs {
  static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

  /// The same for the same people, whatever their order.
  ///
  /// - Parameter people: At most 1,296; the others get none.
  static func assigned(to people: [ProfileRecord]) -> [UUID: String] {
    var taken: Set<String> = []
    var ids: [UUID: String] = [:]
    for person in people.sorted(by: { $0.id < $1.id }) {
      guard let id = candidates(for: person).first(where: { !taken.contains($0) }) else { continue }
      taken.insert(id)
      ids[person.id] = id
    }
    return ids
  }

  /// The initials, then other letters of the name, then whatever is left.
  private static func candidates(for person: ProfileRecord) -> some Sequence<String> {
    let named = words(in: person.displayName)
    let words = named.isEmpty ? words(in: person.username) : named
    let letters = words.joined()
    let initials = words.count > 1 ? words[1].prefix(1) : []
    let own = letters.prefix(1).lazy.flatMap { first in
      (initials + letters.dropFirst() + alphabet).lazy.map { "\(first)\($0)" }
    }
    let any = alphabet.lazy.flatMap { first in alphabet.lazy.map { "\(first)\($0)" } }
    return [AnySequence(own), AnySequence(any)].lazy.joined()
  }

  /// The words of a name as letters of the alphabet; none in a script without case.
  private static func words(in name: String) -> [[Character]] {
    let plain =
      name.utf8.allSatisfy { $0 < 0x80 }
      ? name : name.folding(options: [.diacriticInsensitive, .widthInsensitive], locale: nil)
    return plain.uppercased().split { !isInAlphabet($0) }.map(Array.init)
  }

  private static func isInAlphabet(_ letter: Character) -> Bool {
    letter.isASCII && (letter.isUppercase || letter.isNumber)
  }
}
