import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// What the open interface does with an alert and an arrival: the hook, and the desktop.
  @Suite struct AlertTellingTests {
    @Test func `an alert and an arrival run the hook with a line of JSON, and reach the desktop`()
      async throws
    {
      let desktop = try await NotificationServer()
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")
      try await served.befriend(ana, bob, named: ("ana", "bob"))
      try await ana.must("location", "set", "38.7223,-9.1393")
      try await bob.must("location", "share", "precise", "@ana")
      try await bob.must("location", "set", "41.1496,-8.6110")
      try await ana.must(
        "missions", "new", "--title", "Lanterns", "--at", "38.712,-9.13", "--radius", "100 m",
        "--visibility", "friends")
      try await bob.must("missions", "join", "Lanterns")

      let hook = try HookRecorder(for: "on_arrival", in: ana)
      let session = try await ana.open(
        adding: ["DBUS_SESSION_BUS_ADDRESS": desktop.address], "--config", hook.configuration)
      try await session.waitUntilLive()
      try await session.waitFor("@bob")
      session.send(":tell bob near 500m\r")
      func told(_ isRight: @Sendable ([String]) -> Bool) async throws {
        do {
          try await eventually("the desktop") { isRight(desktop.notes.map(\.body)) }
        } catch {
          throw ProcessFailure("the desktop was told \(desktop.notes.map(\.body))")
        }
      }
      // The list stays, other than the notice.
      session.send(":tell\r")
      try await session.waitFor("Alerts", "500 m")
      // Nobody looks: what happens is told.
      session.send("\u{1B}[O")

      try await bob.must("location", "set", "38.7225,-9.1390")
      try await eventually("the hook of the alert") { hook.count == 1 }
      var event = try hook.event(0)
      #expect(event["event"] == "arrival" && event["kind"] == "alert")
      #expect(event["username"] == "bob" && event["text"] == "is within 500 m of you")
      try await told { $0 == ["@bob is within 500 m of you."] }

      try await bob.must("missions", "omw", "Lanterns", "--yes")
      try await bob.must("location", "set", "38.712,-9.13")
      try await eventually("the hook of the arrival") { hook.count == 2 }
      event = try hook.event(1)
      #expect(event["event"] == "arrival" && event["kind"] == "arrival", "\(event)")
      #expect(event["username"] == "bob" && event["mission_title"] == "Lanterns")
      try await told { $0.last == "@bob arrived at “Lanterns”." }
      session.send(.escape)
      try await session.waitUntil("the list closed") { !$0.contains("Alerts") }
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
    }
  }
}
