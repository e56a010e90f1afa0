import FoundationEssentials
import RallyText
import RallyWire

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
