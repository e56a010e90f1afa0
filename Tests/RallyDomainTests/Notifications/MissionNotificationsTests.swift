import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct MissionNotificationsTests {
  private func status(
    _ entries: [Int: MissionStatus.Entry], isKnown: Bool = true, inFlightIDs: Set<UUID> = []
  ) -> MissionStatus {
    MissionStatus(
      isKnown: isKnown,
      entries: Dictionary(uniqueKeysWithValues: entries.map { (Samples.id($0.key), $0.value) }),
      inFlightIDs: inFlightIDs)
  }

  private func entry(
    _ title: String, _ membership: MissionMembership? = .joined, _ state: MissionState = .open,
    isMine: Bool = false, others: [Int: String] = [:]
  ) -> MissionStatus.Entry {
    MissionStatus.Entry(
      title: title, membership: membership, state: state, isMine: isMine,
      others: Dictionary(uniqueKeysWithValues: others.map { (Samples.id($0.key), $0.value) }))
  }

  @Test func `an invitation is news, and many are one sentence`() {
    let none = status([:])
    let one = status([1: entry("Lanterns", .invited)])
    #expect(
      MissionNotifications.sentences(from: none, to: one) == ["You are invited to “Lanterns”."])
    #expect(MissionNotifications.sentences(from: one, to: one).isEmpty)
    let three = status([
      1: entry("Lanterns", .invited), 2: entry("Fog run", .invited), 3: entry("Trees", .invited),
    ])
    #expect(
      MissionNotifications.sentences(from: one, to: three) == ["You are invited to 2 missions."])
    // The first fetch brings no news.
    #expect(
      MissionNotifications.sentences(from: status([:], isKnown: false), to: three).isEmpty)
  }

  @Test func `the end of a mission is news unless it was my own doing`() {
    let open = status([1: entry("Lanterns"), 2: entry("Fog run")])
    let over = status([
      1: entry("Lanterns", .joined, .completed), 2: entry("Fog run", .joined, .cancelled),
    ])
    #expect(
      MissionNotifications.sentences(from: open, to: over)
        == ["“Lanterns” is completed.", "“Fog run” is cancelled."])
    let mine = status(
      [1: entry("Lanterns"), 2: entry("Fog run")], inFlightIDs: [Samples.id(1), Samples.id(2)])
    #expect(MissionNotifications.sentences(from: mine, to: over).isEmpty)
  }

  @Test func `a mission that was just completed with all its objectives is shown as a card`() {
    let open = status([1: entry("Lanterns"), 2: entry("Fog run"), 3: entry("Trees")])
    var (done, ended) = (
      entry("Lanterns", .joined, .completed), entry("Trees", .joined, .cancelled)
    )
    done.allDoneAt = Samples.time
    ended.allDoneAt = Samples.time
    let over = status([1: done, 2: entry("Fog run", .joined, .completed), 3: ended])
    func cards(after seconds: Int) -> [UUID] {
      MissionNotifications.cards(
        from: open, to: over, at: Samples.time.advanced(by: .seconds(seconds)))
    }
    #expect(cards(after: 5) == [Samples.id(1)])
    #expect(cards(after: 3600).isEmpty)
    #expect(
      MissionNotifications.cards(from: status([:], isKnown: false), to: over, at: Samples.time)
        .isEmpty)
  }

  @Test func `who joined my mission is named, of other missions nobody is`() {
    let alone = status([1: entry("Lanterns", isMine: true), 2: entry("Fog run")])
    let both = status([
      1: entry("Lanterns", isMine: true, others: [4: "@max"]),
      2: entry("Fog run", others: [5: "@zoe"]),
    ])
    #expect(MissionNotifications.sentences(from: alone, to: both) == ["@max joined “Lanterns”."])
    let many = status([
      1: entry("Lanterns", isMine: true, others: [4: "@max", 5: "@zoe"]), 2: entry("Fog run"),
    ])
    #expect(
      MissionNotifications.sentences(from: alone, to: many) == ["2 people joined “Lanterns”."])
    // A mission that I have just made is no news.
    #expect(MissionNotifications.sentences(from: status([:]), to: both).isEmpty)
  }

  @Test(arguments: [true, false])
  func `invitations and completions are news beside what was fetched, not beside an earlier run's`(
    isNew: Bool
  ) {
    var old = status([1: entry("Lanterns"), 2: entry("Fog run")])
    old.hasFetched = isNew
    var invited = entry("Trees", .invited)
    invited.creator = "kenji"
    let new = status([
      1: entry("Lanterns", .joined, .completed), 2: entry("Fog run", .joined, .cancelled),
      3: invited,
    ])
    #expect(
      MissionNotifications.events(from: old, to: new) == [
        NotificationEvent(
          .invitation, username: "kenji", missionID: Samples.id(3), title: "Trees",
          isNew: isNew),
        NotificationEvent(
          .completion, missionID: Samples.id(1), title: "Lanterns", isNew: isNew),
      ])
  }
}
