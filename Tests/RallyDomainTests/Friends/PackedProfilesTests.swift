import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct PackedProfilesTests {
  private let people = [
    CommunityProfile(
      id: UUID(), username: "ana", displayName: "Ana 田中 👩‍👩‍👧", bio: "Knows every stair.",
      joinedAt: Samples.time, since: WireTime(microseconds: -1), presence: .offline,
      lastSeen: WireTime(microseconds: 1), friendshipStatus: .friends),
    CommunityProfile(id: UUID(), username: "", displayName: ""),
    CommunityProfile(
      id: UUID(), username: "rui", displayName: "Rui", presence: .online,
      friendshipStatus: FriendshipStatus.none),
  ]

  @Test func `people come back as they were`() throws {
    #expect(try PackedProfiles.unpack(PackedProfiles.pack(people)) == people)
    #expect(try PackedProfiles.unpack(Data()).isEmpty)
  }

  @Test(arguments: [FriendshipStatus.none, .outgoing, .incoming, .friends, .blocked, nil])
  func `each friendship comes back as it was`(status: FriendshipStatus?) throws {
    var person = people[0]
    person.friendshipStatus = status
    #expect(try PackedProfiles.unpack(PackedProfiles.pack([person])) == [person])
  }

  @Test func `data that is cut off, or of something else, is an error`() {
    let whole = PackedProfiles.pack([people[0]])
    for length in 1..<whole.count {
      #expect(throws: DecodingError.self) { try PackedProfiles.unpack(whole.prefix(length)) }
    }
    var other = whole
    other[16] = 9
    #expect(throws: DecodingError.self) { try PackedProfiles.unpack(other) }
  }

  @Test func `text is cleaned when it is read`() throws {
    let person = CommunityProfile(id: UUID(), username: "ana", displayName: "A\u{1B}[2Jna")
    let read = try PackedProfiles.unpack(PackedProfiles.pack([person]))
    #expect(read.first?.displayName.contains("\u{1B}") == false)
    #expect(read.first?.displayName.contains("na") == true)
  }

  @Test func `a cache of an earlier version is not read`() {
    let earlier =
      #"{"friends":[],"incoming":[],"outgoing":[],"asks":{"incoming":[],"outgoing":[]}}"#
    #expect(throws: DecodingError.self) {
      try WireJSON.decode(SocialLists.self, from: Data(earlier.utf8))
    }
  }
}
