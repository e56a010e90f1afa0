import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct SharingTableTests {
  private let now = Samples.time
  private var later: WireTime { now.advanced(by: .seconds(3600)) }

  private func table(
    _ general: SharingSetting, _ own: SharingSetting?...
  ) -> SharingTable {
    SharingTable(
      general: general,
      friends: own.enumerated().map { number, setting in
        FriendSharing(
          id: Samples.id(number), username: "p\(number)", displayName: "P", own: setting)
      })
  }

  @Test func `a friend has their own while it lasts, then the default, then nothing`() {
    let timed = SharingSetting(.precise, until: later)
    let table = table(SharingSetting(.approximate10km, until: later), timed, nil)
    #expect(table.mode(for: Samples.id(0), at: now) == .precise)
    #expect(table.mode(for: Samples.id(1), at: now) == .approximate10km)
    #expect(table.mode(for: Samples.id(0), at: later) == .off)
    #expect(table.mode(for: Samples.id(9), at: now) == .off)
    #expect(table.nextEnd(after: now) == later)
    #expect(table.nextEnd(after: later) == nil)
  }

  @Test func `the most exact friend makes the audience`() {
    let table = table(
      SharingSetting(.off), SharingSetting(.approximate1km), nil,
      SharingSetting(.precise, until: later))
    #expect(table.audience(at: now) == .precise)
    #expect(table.audience(at: later) == .approximate1km)
    #expect(self.table(SharingSetting(.precise)).audience(at: now) == .off)
  }

  @Test func `who would see more than now, or as much for longer, is found for any change`() {
    let timed = SharingSetting(.precise, until: later)
    let table = table(SharingSetting(.approximate1km), timed, nil, SharingSetting(.off))
    func seen(_ setting: SharingSetting?, _ friend: Int?) -> [String] {
      table.seeingMore(with: setting, for: friend.map { Samples.id($0) }, at: now)
        .map(\.friend.username)
    }
    #expect(seen(SharingSetting(.precise), 0) == ["p0"])
    #expect(seen(timed, 0) == [])
    #expect(seen(SharingSetting(.approximate10km), 0) == [])
    #expect(seen(timed, 2) == ["p2"])
    // Without a setting of their own the default decides, also where theirs has ended.
    #expect(seen(nil, 2) == ["p2"])
    #expect(seen(nil, 0) == [])
    #expect(seen(SharingSetting(.precise, until: now), 1) == [])
    #expect(seen(SharingSetting(.precise), nil) == ["p1"])
    #expect(seen(SharingSetting(.off), nil) == [])
    let next = table.seeingMore(with: nil, for: Samples.id(2), at: now).first
    #expect(next?.setting == SharingSetting(.approximate1km))
  }

  @Test func `who sees the way sees precisely until it ends, friend or not`() throws {
    let rows = [true, false].enumerated().map { number, isFriend in
      LocationSharingRecord(
        userID: Samples.id(number), username: "p\(number)", displayName: "P", mode: .off,
        until: nil, isDefault: true, location: Samples.location(of: 0), wayUntil: later,
        isFriend: isFriend)
    }
    let table = SharingTable(rows)
    #expect(table.friends.map(\.id) == [Samples.id(0)])
    #expect(table.followers.map(\.id) == [Samples.id(1)])
    #expect(table.audience(at: now) == .precise && table.audience(at: later) == .off)
    #expect(table.summary(at: now).sentence == "on the way · 2 see you")
    #expect(table.summary(at: later).sentence == "sharing with nobody")
    #expect(table.nextEnd(after: now) == later)
    #expect(table.mostExactLocation == Samples.location(of: 0))
    #expect(try WireJSON.decode(SharingTable.self, from: WireJSON.encode(table)) == table)
  }

  @Test func `rows of the server become the table`() {
    let rows = [
      LocationSharingRecord(
        userID: nil, username: nil, displayName: nil, mode: .approximate10km, until: nil,
        isDefault: true, location: nil),
      LocationSharingRecord(
        userID: Samples.id(1), username: "ana", displayName: "Ana", mode: .approximate10km,
        until: nil, isDefault: true, location: nil),
      LocationSharingRecord(
        userID: Samples.id(2), username: "ben", displayName: "Ben", mode: .precise,
        until: later, isDefault: false, location: Samples.location(of: 0)),
    ]
    let table = SharingTable(rows)
    #expect(table.general == SharingSetting(.approximate10km))
    #expect(table.decision(for: Samples.id(1)) == nil)
    #expect(table.decision(for: Samples.id(2)) == SharingSetting(.precise, until: later))
    #expect(table.mostExactLocation == Samples.location(of: 0))
  }

  @Test func `what ended is forgotten`() {
    var table = table(
      SharingSetting(.approximate1km, until: now), SharingSetting(.precise, until: now),
      SharingSetting(.precise))
    table.dropEnded(at: now)
    #expect(table.general == SharingSetting(.off))
    #expect(table.decision(for: Samples.id(0)) == nil)
    #expect(table.decision(for: Samples.id(1)) == SharingSetting(.precise))
  }

  @Test(arguments: [
    (7, 2, GhostPhase?.none, "shared with 7 · 2 precise"), (7, 0, nil, "shared with 7"),
    (0, 0, nil, "sharing with nobody"), (0, 0, .gone, "ghost"), (0, 0, .pending, "ghost pending"),
    (3, 1, .pending, "ghost pending · still shared with 3"),
    (1, 0, .gone, "shared with 1"),
  ])
  func `the sentence never hides that somebody sees me`(
    shared: Int, precise: Int, ghost: GhostPhase?, sentence: String
  ) {
    let summary = SharingSummary(sharedCount: shared, preciseCount: precise, ghost: ghost)
    #expect(summary.sentence == sentence)
  }
}
