import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallySystem

@Suite struct NotificationPolicyTests {
  /// Noon of a day, and a hand that moves from there.
  private let start = WireTime(Date(timeIntervalSince1970: 1_777_723_200))
  private let away = ScreenStatus(tab: .friends, hasFocus: false)

  private func policy(
    _ change: (inout NotificationSettings) -> Void = { _ in }
  ) -> NotificationPolicy {
    var settings = NotificationSettings()
    change(&settings)
    return NotificationPolicy(settings: settings, timeZone: .utc)
  }

  private func later(_ duration: Duration) -> WireTime { start.advanced(by: duration) }

  private func request(_ username: String = "bob", isNew: Bool = true) -> NotificationEvent {
    NotificationEvent(.request, username: username, isNew: isNew)
  }

  private func message(
    _ text: String = "left at the stairs", by username: String = "rui", in mission: Int = 1
  ) -> NotificationEvent {
    NotificationEvent(
      .message, username: username, missionID: Samples.id(mission), title: "Lanterns", text: text)
  }

  private func arrival(_ username: String = "bob", at title: String = "Lanterns")
    -> NotificationEvent
  {
    NotificationEvent(
      .arrival, username: username, missionID: Samples.id(1), title: title)
  }

  private func line(
    _ policy: NotificationPolicy, _ events: [NotificationEvent], on screen: ScreenStatus? = nil
  ) -> String? {
    policy.announcement(of: events, on: screen ?? away, at: later(.seconds(61)))?.text
  }

  @Test func `each kind has its sentence`() {
    let policy = policy()
    #expect(line(policy, [request()]) == "@bob wants to be friends.")
    #expect(
      line(policy, [NotificationEvent(.friendship, username: "ana")])
        == "@ana is a friend now.")
    #expect(
      line(
        policy,
        [NotificationEvent(.sharing, username: "ana", text: "their city")])
        == "@ana shows you their city.")
    #expect(
      line(
        policy,
        [NotificationEvent(.invitation, missionID: Samples.id(1), title: "Lanterns")])
        == "You are invited to “Lanterns”.")
    #expect(
      line(
        policy,
        [NotificationEvent(.completion, missionID: Samples.id(1), title: "Lanterns")])
        == "“Lanterns” is completed.")
    #expect(line(policy, [arrival()]) == "@bob arrived at “Lanterns”.")
    #expect(line(policy, [message()]) == "@rui in “Lanterns”: left at the stairs")
    #expect(line(policy, []) == nil)
  }

  @Test func `several at once are one line`() {
    let policy = policy()
    #expect(
      line(policy, [request("bob"), request("ana"), request("rui")])
        == "3 people want to be friends.")
    let sharing = ["bob", "ana"].map {
      NotificationEvent(
        .sharing, username: $0, text: "their city")
    }
    #expect(line(policy, sharing) == "2 friends show you where they are.")
    #expect(
      line(policy, [request(), sharing[0]])
        == "1 friend request, 1 friend who shows you where they are")
    #expect(
      line(policy, [arrival(), arrival("ana")]) == "2 people arrived at “Lanterns”.")
    #expect(
      line(policy, [arrival(), arrival("ana", at: "Fog run")]) == "2 people arrived at missions.")
    #expect(line(policy, [arrival(), request()]) == "1 friend request, 1 arrival")
    #expect(line(policy, [message(), message("come")]) == "2 messages in “Lanterns”.")
    #expect(line(policy, [message(), message(in: 2)]) == "2 messages in 2 missions.")
    #expect(
      line(policy, [message(), request("bob"), request("ana")]) == "2 friend requests, 1 message")
  }

  @Test func `what the screen shows is not announced unless somebody looks elsewhere`() {
    let policy = policy()
    let mission = Samples.id(1)
    let invitation = NotificationEvent(
      .invitation, missionID: mission, title: "Lanterns")
    #expect(line(policy, [request()], on: ScreenStatus(tab: .friends)) == nil)
    #expect(line(policy, [request()], on: ScreenStatus(tab: .map)) != nil)
    #expect(line(policy, [request()], on: ScreenStatus(tab: .friends, hasFocus: false)) != nil)
    #expect(line(policy, [invitation], on: ScreenStatus(tab: .missions)) == nil)
    #expect(line(policy, [invitation], on: ScreenStatus(tab: .friends)) != nil)
    // What is said is seen in its own mission only.
    let sharing = NotificationEvent(
      .sharing, username: "ana", text: "their city")
    #expect(line(policy, [sharing], on: ScreenStatus(tab: .map)) == nil)
    #expect(line(policy, [sharing], on: ScreenStatus(tab: .friends)) == nil)
    #expect(line(policy, [sharing], on: ScreenStatus(tab: .missions)) != nil)
    #expect(line(policy, [message()], on: ScreenStatus(tab: .missions)) != nil)
    #expect(
      line(policy, [message()], on: ScreenStatus(tab: .missions, route: .mission(mission))) == nil
    )
    #expect(
      line(
        policy, [message()], on: ScreenStatus(tab: .missions, route: .mission(Samples.id(2))))
        != nil)
    #expect(
      line(policy, [arrival()], on: ScreenStatus(tab: .missions, route: .mission(mission))) == nil
    )
    #expect(line(policy, [arrival()], on: ScreenStatus(tab: .missions)) != nil)
    // Of two things only the unseen one is told.
    #expect(
      line(policy, [request(), message()], on: ScreenStatus(tab: .friends))
        == "@rui in “Lanterns”: left at the stairs")
  }

  @Test func `what may be older than the start is not announced`() {
    let policy = policy()
    #expect(line(policy, [request(isNew: false)]) == nil)
    #expect(line(policy, [request()]) != nil)
  }

  @Test func `each kind is as loud as it is set`() {
    let quiet = policy {
      $0.requests = .off
      $0.messages = .bell
    }
    let now = later(.seconds(61))
    #expect(quiet.announcement(of: [request()], on: away, at: now) == nil)
    #expect(quiet.announcement(of: [message()], on: away, at: now)?.level == .bell)
    let completion = NotificationEvent(
      .completion, missionID: Samples.id(1), title: "Lanterns")
    // The loudest is told, and it alone.
    let both = quiet.announcement(of: [message(), completion], on: away, at: now)
    #expect(both == Announcement(level: .message, text: "“Lanterns” is completed."))
  }

  @Test func `of muted people nothing is told`() throws {
    let kenji = try Username("@Kenji")
    let policy = policy { $0.muted = [kenji] }
    #expect(line(policy, [request("kenji")]) == nil)
    #expect(line(policy, [message(by: "kenji")]) == nil)
    #expect(line(policy, [request("kenji"), request("bob")]) == "@bob wants to be friends.")
  }

  @Test func `quiet hours are silent, to the minute`() {
    let policy = policy { $0.quiet = QuietHours("12:30-13:00") }
    func isTold(_ minutes: Int) -> Bool {
      policy.announcement(of: [request()], on: away, at: later(.seconds(minutes * 60))) != nil
    }
    #expect(isTold(29))
    #expect(!isTold(30))
    #expect(!isTold(59))
    #expect(isTold(60))
  }

  @Test func `an announcement is clean and short`() {
    let policy = policy()
    let text = line(
      policy, [message("\u{1b}]2;x\u{7}\u{202E}\n" + String(repeating: "語", count: 400))])
    #expect(text?.hasPrefix("@rui in “Lanterns”: ]2;x 語") == true)
    #expect(text?.count == Announcement.longest)
    #expect(text?.hasSuffix("…") == true)
  }
}
