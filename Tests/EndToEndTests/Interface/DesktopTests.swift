import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  /// What the binary tells the desktop, over a real bus.
  @Suite struct DesktopTests {
    @Test func `a request is told on the desktop and not by the terminal, and goes when seen`()
      async throws
    {
      let desktop = try await NotificationServer()
      let served = try await ServedRally()
      let anaHome = try await served.home("ana")
      let session = try await anaHome.open(
        adding: ["VTE_VERSION": "7200", "DBUS_SESSION_BUS_ADDRESS": desktop.address])
      try await session.waitUntilLive()
      try await session.waitFor("Nobody here yet")
      session.send("\u{1B}[O")
      try await served.home("bob").must("friends", "add", "ana")
      try await eventually("that the desktop shows it") { desktop.notes.count == 1 }
      #expect(desktop.notes.map(\.body) == ["@bob wants to be friends."])
      let output = String(decoding: session.snapshot.output, as: UTF8.self)
      #expect(!output.contains("]777;"))
      session.send("\u{1B}[I")
      try await eventually("that it is taken away") { desktop.closed == 1 }

      // Without the bus the terminal is told instead.
      desktop.end()
      session.send("\u{1B}[O")
      try await served.home("cleo").must("friends", "add", "ana")
      try await eventually("that the terminal is told") {
        String(decoding: session.snapshot.output, as: UTF8.self)
          .contains("]777;notify;Rally;@cleo wants to be friends.")
      }
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
    }
  }
}
