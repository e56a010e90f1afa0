import FoundationEssentials
import RallyWire

/// Profiles in a binary form, for the cache: ten thousand of them as JSON objects take five times
/// as long to read as the rest of a start.
///
/// One after the other, without padding, numbers little-endian: the id (16 bytes), the places of
/// `presence` and of `friendshipStatus` in their lists (1 byte each), `joinedAt`, `since` and
/// `lastSeen` (8 bytes each, microseconds since 1970, the lowest number for nil), then `username`,
/// `displayName` and `bio` (each its length in bytes in 4 bytes, then UTF-8).
package enum PackedProfiles {
  private static let presences: [Presence?] = [nil, .online, .offline]
  private static let friendships: [FriendshipStatus?] = [
    nil, FriendshipStatus.none, .outgoing, .incoming, .friends, .blocked,
  ]

  package static func pack(_ people: [CommunityProfile]) -> Data {
    var data = Data(capacity: people.count * 80)
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
      while !reader.isAtEnd { people.append(try reader.profile()) }
      return people
    }
  }

  private struct Reader {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func profile() throws -> CommunityProfile {
      let id = UUID(uuid: try take(16).loadUnaligned(as: uuid_t.self))
      let presence = try element(of: presences)
      let friendship = try element(of: friendships)
      let (joinedAt, since, lastSeen) = (try time(), try time(), try time())
      return CommunityProfile(
        id: id, username: try text(.username), displayName: try text(.name), bio: try text(.bio),
        joinedAt: joinedAt, since: since, presence: presence, lastSeen: lastSeen,
        friendshipStatus: friendship)
    }

    private mutating func take(_ count: Int) throws -> UnsafeRawBufferPointer {
      guard count <= rest.count else { throw PackedProfiles.malformed }
      defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
      return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }

    private mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
      _ type: Number.Type
    ) throws -> Number {
      Number(littleEndian: try take(MemoryLayout<Number>.size).loadUnaligned(as: type))
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
      limits.shown(String(decoding: try take(Int(number(UInt32.self))), as: UTF8.self))
    }
  }
}
