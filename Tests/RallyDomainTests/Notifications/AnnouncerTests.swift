import RallyTestSupport
import Testing

@testable import RallyClient
@testable import RallyDomain

@MainActor @Suite struct AnnouncerTests {
  @Test func `many at once are one line, and what was seen meanwhile is none`() async {
    let (announcements, announced) = AsyncStream.makeStream(of: Announcement.self)
    var told = announcements.makeAsyncIterator()
    let announcer = Announcer(gathering: .milliseconds(1))
    var hasFocus = false
    func receive(_ events: [NotificationEvent]) {
      announcer.receive(events) {
        NotificationSettings()
      } screen: {
        ScreenStatus(tab: .friends, hasFocus: hasFocus)
      } announce: {
        announced.yield($0)
      }
    }
    receive([NotificationEvent(.request, username: "bob")])
    receive([NotificationEvent(.request, username: "cleo")])
    #expect(await told.next()?.text == "2 people want to be friends.")

    receive([NotificationEvent(.request, username: "dora")])
    hasFocus = true
    receive([NotificationEvent(.request, username: "emil")])
    receive([
      NotificationEvent(.completion, missionID: Samples.id(1), title: "Lanterns")
    ])
    #expect(await told.next()?.text == "“Lanterns” is completed.")
  }
}
