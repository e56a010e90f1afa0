import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain

/// Who begins to show more of where they are.
@Suite @MainActor struct NewlyShownTests {
  private final class Clock {
    var time = Samples.time

    func pass(hours: Int) { time = time.advanced(by: .seconds(hours * 3600)) }
  }

  private let clock = Clock()
  private let ana = Samples.id(0)
  private let kenji = Samples.id(1)

  private func newlyShown(_ first: [UUID: SharingMode] = [:]) -> NewlyShown {
    let newlyShown = NewlyShown(settling: .milliseconds(1)) { [clock] in clock.time }
    #expect(newlyShown.look(at: first) == [:], "what was so before is not new")
    return newlyShown
  }

  @Test func `something, and more than that, is told once each, less and an end never`() {
    let newlyShown = newlyShown([kenji: .precise])
    #expect(
      newlyShown.look(at: [kenji: .precise, ana: .approximate10km]) == [ana: .approximate10km])
    #expect(newlyShown.look(at: [kenji: .precise, ana: .approximate10km]) == [:])
    #expect(newlyShown.look(at: [kenji: .precise, ana: .precise]) == [ana: .precise])
    #expect(newlyShown.look(at: [ana: .approximate1km]) == [:])
    #expect(newlyShown.look(at: [:]) == [:])
  }

  @Test func `a return within a day to what was shown before is none, later it is`() {
    let newlyShown = newlyShown([ana: .precise])
    #expect(newlyShown.look(at: [:]) == [:])
    clock.pass(hours: 23)
    // A ghost's settings come back one after the other.
    #expect(newlyShown.look(at: [ana: .approximate10km]) == [:])
    #expect(newlyShown.look(at: [ana: .precise]) == [:])
    #expect(newlyShown.look(at: [:]) == [:])
    clock.pass(hours: 25)
    #expect(newlyShown.look(at: [ana: .approximate10km]) == [ana: .approximate10km])
  }

  @Test func `less for a day is what more is measured by`() {
    let newlyShown = newlyShown([ana: .precise])
    #expect(newlyShown.look(at: [ana: .approximate10km]) == [:])
    clock.pass(hours: 12)
    #expect(newlyShown.look(at: [ana: .approximate1km]) == [:])
    clock.pass(hours: 13)
    #expect(newlyShown.look(at: [ana: .precise]) == [ana: .precise])
  }

  @Test func `what is not fetched yet is not looked at, and keys in a row are one`() async {
    let (news, told) = AsyncStream.makeStream(of: [UUID: SharingMode].self)
    var heard = news.makeAsyncIterator()
    let newlyShown = NewlyShown(settling: .milliseconds(1))
    func receive(_ modes: [UUID: SharingMode], isFetched: Bool = true) {
      newlyShown.receive(ShownPositions(isFetched: isFetched, modes: modes)) { shown in
        told.yield(shown)
      }
    }
    receive([:], isFetched: false)
    receive([kenji: .precise])
    for mode in [SharingMode.approximate10km, .approximate1km, .precise] {
      receive([kenji: .precise, ana: mode])
    }
    #expect(await heard.next() == [ana: .precise])
  }

  @Test func `of friends alone it is told, by name or by number`() {
    let friends = [Samples.friend(0), Samples.friend(1)]
    #expect(
      SocialNotifications.sentences(shown: [ana: .approximate10km], friends: friends)
        == ["@ana shows you their city."])
    #expect(
      SocialNotifications.sentences(
        shown: [ana: .precise, kenji: .precise], friends: friends)
        == ["2 friends show you where they are."])
    #expect(
      SocialNotifications.sentences(shown: [Samples.id(7): .precise], friends: friends).isEmpty)
    let events = SocialNotifications.events(
      shown: [ana: .approximate1km], friends: friends)
    #expect(
      events == [
        NotificationEvent(.sharing, username: "ana", text: "the area they are in")
      ])
  }
}
