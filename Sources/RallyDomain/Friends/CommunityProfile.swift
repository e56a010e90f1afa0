import FoundationEssentials
import RallyText
import RallyWire

/// A user's profile; its text was cleaned when the row was decoded.
public struct CommunityProfile: Hashable, Sendable, Codable, Identifiable {
  public var id: UUID
  @WireText<UsernameText> public var username: String
  @WireText<NameText> public var displayName: String
  @WireText<BioText> public var bio: String
  /// When the profile was created; nil if the row does not contain it.
  public var joinedAt: WireTime?
  /// When we became friends, or when I blocked them.
  public var since: WireTime?
  /// Nil for people who are not friends.
  public var presence: Presence?
  /// When a friend's last connection ended; nil for one who never connected.
  public var lastSeen: WireTime?
  /// My relationship to the user, if the row includes it (people search).
  public var friendshipStatus: FriendshipStatus?

  public init(
    id: UUID, username: String, displayName: String, bio: String = "",
    joinedAt: WireTime? = nil, since: WireTime? = nil, presence: Presence? = nil,
    lastSeen: WireTime? = nil, friendshipStatus: FriendshipStatus? = nil
  ) {
    self.id = id
    self.username = username
    self.displayName = displayName
    self.bio = bio
    self.joinedAt = joinedAt
    self.since = since
    self.presence = presence
    self.lastSeen = lastSeen
    self.friendshipStatus = friendshipStatus
  }

  /// `@ana`
  public var handle: String { "@\(username)" }

  public var isOnline: Bool { presence == .online }

  /// The fields that are searched for a name.
  public static var searchedFields: [(CommunityProfile) -> String] {
    [\.displayName, \.handle]
  }

  /// Whether the display name or the username contains the text, ignoring case and accents.
  public func matches(_ query: String) -> Bool {
    var needle = query.trimmed
    if needle.hasPrefix("@") { needle.removeFirst() }
    guard !needle.isEmpty else { return true }
    return [username, displayName].contains { $0.foldedContains(needle) }
  }
}

extension CommunityProfile {
  init(_ row: ProfileRecord) {
    self.init(
      id: row.id, username: row.username, displayName: row.displayName, bio: row.bio,
      joinedAt: row.createdAt)
  }

  init(_ row: FriendRecord) {
    self.init(
      id: row.id, username: row.username, displayName: row.displayName, bio: row.bio,
      joinedAt: row.createdAt, since: row.since, presence: row.presence, lastSeen: row.lastSeen,
      friendshipStatus: .friends)
  }

  init(_ row: PersonRecord) {
    self.init(
      id: row.id, username: row.username, displayName: row.displayName, bio: row.bio,
      joinedAt: row.createdAt, friendshipStatus: row.friendshipStatus)
  }

  /// A row of a dated list; `since` is the time of the row.
  init(_ row: DatedProfileRecord, friendshipStatus: FriendshipStatus) {
    self.init(
      id: row.id, username: row.username, displayName: row.displayName, bio: row.bio,
      since: row.createdAt, friendshipStatus: friendshipStatus)
  }
}

/// A pending friend request with the other person's profile.
public struct FriendRequestItem: Hashable, Sendable, Codable, Identifiable {
  public var profile: CommunityProfile
  public var direction: RequestDirection
  public var createdAt: WireTime

  /// The other person's id: there is one pending request per pair.
  public var id: UUID { profile.id }

  public init(profile: CommunityProfile, direction: RequestDirection, createdAt: WireTime) {
    self.profile = profile
    self.direction = direction
    self.createdAt = createdAt
  }
}

/// What the user can do with a pending request.
public enum FriendRequestResponseAction: String, Hashable, Sendable, CaseIterable {
  case accept, decline
  /// Withdraws one's own request.
  case cancel
}

/// Profiles in a binary form, for the cache. Ten thousand of them as JSON objects take five times
/// as long to read as the rest of a start.
///
/// One after the other, without padding, numbers little-endian. First comes the id (16 bytes), then
/// the places of `presence` and of `friendshipStatus` in their lists (1 byte each). `joinedAt`,
/// `since` and `lastSeen` follow (8 bytes each, microseconds since 1970, the lowest number for
/// nil). At last `username`, `displayName` and `bio`: each its length in bytes in 4 bytes, then
/// UTF-8.
package enum PackedProfiles {
  private static let presences: [Presence?] = [nil, .online, .offline]
  private static let friendships: [FriendshipStatus?] = [
    nil, FriendshipStatus.none, .outgoing, .incoming, .friends, .blocked,
  ]

  /// Bytes of a profile, about.
  private static let typicalSize = 64

  package static func pack(_ people: [CommunityProfile]) -> Data {
    var data = Data(capacity: people.count * typicalSize)
    func append(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }
    for person in people {
      withUnsafeBytes(of: person.id.uuid) { data.append(contentsOf: $0) }
      append(UInt8(presences.firstIndex(of: person.presence) ?? 0))
      append(UInt8(friendships.firstIndex(of: person.friendshipStatus) ?? 0))
      for time in [person.joinedAt, person.since, person.lastSeen] {
        append(time?.microseconds ?? .min)
      }
      for text in [person.username, person.displayName, person.bio] {
        append(UInt32(text.utf8.count))
        data.append(contentsOf: text.utf8)
      }
    }
    return data
  }

  private static let malformed = DecodingError.dataCorrupted(
    DecodingError.Context(codingPath: [], debugDescription: "These are no packed profiles."))

  /// - Throws: `DecodingError.dataCorrupted` if the data is something else or cut off.
  static func unpack(_ data: Data) throws -> [CommunityProfile] {
    try data.withUnsafeBytes { bytes in
      var reader = Reader(bytes)
      var people: [CommunityProfile] = []
      people.reserveCapacity(bytes.count / typicalSize)
      while !reader.isAtEnd { people.append(try reader.profile()) }
      return people
    }
  }

  private struct Reader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func profile() throws -> CommunityProfile {
      let id = UUID(uuid: try value(uuid_t.self))
      let presence = try element(of: presences)
      let friendship = try element(of: friendships)
      let (joinedAt, since, lastSeen) = (try time(), try time(), try time())
      return CommunityProfile(
        id: id, username: try text(.username), displayName: try text(.name), bio: try text(.bio),
        joinedAt: joinedAt, since: since, presence: presence, lastSeen: lastSeen,
        friendshipStatus: friendship)
    }

    /// - Returns: Where these bytes begin.
    private mutating func take(_ count: Int) throws -> Int {
      guard count <= bytes.count - offset else { throw PackedProfiles.malformed }
      defer { offset += count }
      return offset
    }

    private mutating func value<Value: BitwiseCopyable>(_ type: Value.Type) throws -> Value {
      bytes.loadUnaligned(fromByteOffset: try take(MemoryLayout<Value>.size), as: type)
    }

    private mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
      _ type: Number.Type
    ) throws -> Number {
      Number(littleEndian: try value(type))
    }

    private mutating func element<Element>(of list: [Element]) throws -> Element {
      let place = Int(try number(UInt8.self))
      guard list.indices.contains(place) else { throw PackedProfiles.malformed }
      return list[place]
    }

    private mutating func time() throws -> WireTime? {
      let microseconds = try number(Int64.self)
      return microseconds == .min ? nil : WireTime(microseconds: microseconds)
    }

    /// Cleaned and cut like the text of a row.
    private mutating func text(_ limits: TextLimits) throws -> String {
      let count = Int(try number(UInt32.self))
      let start = try take(count)
      let text = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
      return limits.shown(String(decoding: text, as: UTF8.self))
    }
  }
}

extension FriendshipStatus {
  /// What is said of somebody who asked me, after their name or beside it.
  public static let asksForFriendship = "wants to be friends"
}
