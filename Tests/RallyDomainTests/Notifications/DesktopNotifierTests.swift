import Foundation
import RallyTestSupport
import Testing

@testable import RallyDomain
@testable import RallySystem

/// The desktop, with a real bus and a server of notifications on it.
@Suite struct DesktopNotifierTests {
  private func message(_ text: String) -> Announcement {
    Announcement(level: .message, text: text)
  }

  @Test func `the newest takes the place of the one before, and is taken away when seen`()
    async throws
  {
    let desktop = try await NotificationServer()
    let notifier = try #require(
      DesktopNotifier(environment: ["DBUS_SESSION_BUS_ADDRESS": desktop.address]))
    #expect(await notifier.show(message("@bob wants to be friends.")) == nil)
    #expect(await notifier.show(message("2 people ask.")) == nil)
    let notes = desktop.notes
    #expect(notes.map(\.body) == ["@bob wants to be friends.", "2 people ask."])
    #expect(notes.map(\.replaces) == [0, 1])
    let first = try #require(notes.first)
    #expect(
      [first.application, first.summary, first.category] == ["Rally", "Rally", "im.received"])
    #expect(first.urgency == 1)
    await notifier.close()
    #expect(desktop.closed == 1)
    // What is new afterwards replaces nothing.
    #expect(await notifier.show(message("New.")) == nil)
    #expect(desktop.notes.last?.replaces == 0)
  }

  @Test(arguments: [true, false])
  func `what people write is no markup`(_ hasMarkup: Bool) async throws {
    let desktop = try await NotificationServer(
      capabilities: hasMarkup ? ["body", "body-markup"] : ["body"])
    let notifier = try #require(
      DesktopNotifier(environment: ["DBUS_SESSION_BUS_ADDRESS": desktop.address]))
    let text = "@rui: <b>a & b</b>\u{1b}[31m \u{202E}x"
    #expect(await notifier.show(message(text)) == nil)
    #expect(
      desktop.notes.map(\.body) == [
        hasMarkup ? "@rui: &lt;b&gt;a &amp; b&lt;/b&gt;[31m x" : "@rui: <b>a & b</b>[31m x"
      ])
  }

  @Test func `a bus that went away is told, and a new one is found again`() async throws {
    let desktop = try await NotificationServer()
    let environment = ["DBUS_SESSION_BUS_ADDRESS": desktop.address]
    let notifier = try #require(DesktopNotifier(environment: environment))
    #expect(await notifier.show(message("One.")) == nil)
    desktop.end()
    #expect(await notifier.show(message("Two.")) != nil)
    #expect(await notifier.show(message("Three.")) != nil)
    await notifier.close()
  }

  @Test func `the desktop says who it is`() async throws {
    let desktop = try await NotificationServer()
    let notifier = try #require(
      DesktopNotifier(environment: ["DBUS_SESSION_BUS_ADDRESS": desktop.address]))
    let found = await notifier.examine()
    #expect(found.server == "test")
    #expect(found.problem == nil)
  }

  @Test func `the bus of the own machine is taken, and over SSH none`() throws {
    let folder = try TemporaryFolder()
    #expect(SessionBus.address(in: [:]) == nil)
    #expect(SessionBus.address(in: ["XDG_RUNTIME_DIR": folder.path]) == nil)
    try Data().write(to: URL(fileURLWithPath: folder.file("bus")))
    #expect(
      SessionBus.address(in: ["XDG_RUNTIME_DIR": folder.path])
        == "unix:path=\(folder.path)/bus")
    #expect(
      SessionBus.address(in: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"]) == "unix:path=/x")
    #expect(
      SessionBus.address(
        in: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/x", "SSH_CONNECTION": "1 2 3 4"]) == nil)
  }
}
