import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyDomain

/// Which events reach hooks, and where hooks run at all.
@MainActor @Suite struct HookDispatcherTests {
  private let runner = HookRunner(environment: ["PATH": "/usr/bin:/bin"])

  @Test func `hooks are the owner's, outside of the demo, and run by one client`() {
    func runs(_ capabilities: Capabilities, isDemo: Bool = false, isActing: Bool = true) -> Bool {
      HookDispatcher.runner(runner, for: capabilities, isDemo: isDemo, isActing: isActing) != nil
    }
    #expect(runs(.owner))
    #expect(!runs(.guest))
    #expect(!runs(.owner.subtracting(.hooks)))
    #expect(!runs(.owner, isDemo: true))
    #expect(!runs(.owner, isActing: false))
  }

  @Test func `quiet hours and levels are no matter, muted people and the past are`() async throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.hooks[.request] = ["tee", "-a", folder.file("heard")]
    configuration.notifications.requests = .off
    configuration.notifications.quiet = QuietHours("00:00-23:59")
    configuration.notifications.muted = [try Username("kenji")]
    let hooks = HookDispatcher(
      runner: runner, profile: "default", configuration: configuration)
    func request(_ name: String, isNew: Bool = true) -> NotificationEvent {
      NotificationEvent(.request, username: name, isNew: isNew)
    }
    hooks.receive([request("old", isNew: false), request("Kenji"), request("ana")])
    let deadline = ContinuousClock.now + PollingBackoff.limit
    var heard = ""
    while !heard.hasSuffix("\n"), ContinuousClock.now < deadline {
      heard = (try? String(contentsOfFile: folder.file("heard"), encoding: .utf8)) ?? ""
      try await Task.sleep(for: .milliseconds(10))
    }
    let line = try WireJSON.decode(JSONValue.self, from: Data(heard.utf8))
    #expect(line["username"] == "ana")
  }
}
