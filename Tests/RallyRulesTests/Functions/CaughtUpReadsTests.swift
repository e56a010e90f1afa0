import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules

/// Several reads in one request.
@Suite(.everyEngine) struct CaughtUpReadsTests {
  private let friends = CatchUp.Read(function: FetchFriends.name, arguments: [:])
  private let asks = CatchUp.Read(function: FetchLocationAsks.name, arguments: [:])

  private func world() async throws -> ServerWorld {
    let world = try await ServerWorld(members: 3, at: ServerWorld.noon)
    try await world.befriend(0, 1)
    return world
  }

  private func answers(
    to reads: [CatchUp.Read], as member: Int = 0, in world: ServerWorld
  ) async throws -> [CatchUp.Answer] {
    try await world.result(of: CatchUp(reads: reads), as: member)
  }

  private func known(_ read: CatchUp.Read, _ answer: CatchUp.Answer) -> CatchUp.Read {
    var read = read
    read.digest = answer.digest
    return read
  }

  @Test func `each read is answered as its function alone answers it`() async throws {
    let world = try await world()
    let answers = try await answers(to: [friends, asks], in: world)
    let alone = try await world.result(of: FetchFriends(), as: 0)
    #expect(alone.map(\.username) == ["person_1"])
    #expect(try answers.first?.value?.decoded(as: [FriendRecord].self) == alone)
    #expect(answers.last?.value == [])
    #expect(answers.map(\.isWhole) == [true, true])
  }

  @Test func `what the caller has is not sent again, what changed meanwhile is`() async throws {
    let world = try await world()
    let first = try await answers(to: [friends, asks], in: world)
    let reads = zip([friends, asks], first).map(known)
    let same = try await answers(to: reads, in: world)
    #expect(same == first.map { CatchUp.Answer(digest: $0.digest) })
    _ = try await world.call(AskLocation(userID: world.members[0].id), as: 1)
    let changed = try await answers(to: reads, in: world)
    #expect(changed.first == same.first)
    #expect(changed.last?.value?.array?.count == 1)
    #expect(changed.last?.digest != first.last?.digest)
  }

  @Test func `the digest of another reader, read or page is none`() async throws {
    let world = try await world()
    let lists = try await answers(to: [asks], as: 2, in: world)
    let digest = try #require(lists.first?.digest)
    // The same empty list, for somebody else and from elsewhere in it.
    var others = [asks, asks]
    others[1].offset = 1
    let answers = try await answers(
      to: others.map { known($0, CatchUp.Answer(digest: digest)) }, as: 0, in: world)
    #expect(answers.map(\.value) == [[], []])
    #expect(Set(answers.map(\.digest) + [digest]).count == 3)
  }

  @Test func `a read that is refused leaves the others their answers`() async throws {
    let world = try await world()
    let unknown = CatchUp.Read(
      function: FetchFriendshipStatus.name,
      arguments: ["p_user_id": .string(UUID().wireText)])
    let answers = try await answers(to: [unknown, friends], in: world)
    #expect(answers.first?.failure?.reason == .notFound)
    #expect(answers.first?.status == 400)
    #expect(answers.last?.value?.array?.count == 1)
  }

  @Test func `nothing is changed by it, nor does it answer itself`() async throws {
    let world = try await world()
    let remove = CatchUp.Read(
      function: RemoveFriend.name,
      arguments: ["p_user_id": .string(world.members[1].id.wireText)])
    let nested = CatchUp.Read(function: CatchUp.name, arguments: ["p_reads": []])
    let answers = try await answers(to: [remove, nested, friends], in: world)
    #expect(answers.prefix(2).allSatisfy { $0.failure?.isUnknownFunction == true })
    #expect(answers.last?.value?.array?.count == 1)
  }

  @Test func `too many reads are refused`() async throws {
    let world = try await world()
    let many = CatchUp(reads: Array(repeating: friends, count: CatchUp.mostReads + 1))
    #expect(try await world.refusal(of: many, as: 0) == "invalid_argument")
  }

  @Test func `rows go on where a page ends`() async throws {
    let world = try await world()
    var second = friends
    second.offset = 1
    let answers = try await answers(to: [second], in: world)
    #expect(answers.map(\.value) == [[]])
    #expect(answers.map(\.isWhole) == [true])
  }
}
