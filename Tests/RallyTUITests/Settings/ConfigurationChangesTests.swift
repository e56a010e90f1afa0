import Foundation
import RallyDomain
import RallySystem
import RallyTestSupport
import TerminalKit
import Testing

@testable import RallyTUI

/// The whole interface, with a configuration that is edited while it runs.
struct ConfigurationChangesTests {
  private let folder: TemporaryFolder
  private let service: ConfigurationService

  init() throws {
    folder = try TemporaryFolder()
    service = ConfigurationService(file: folder.file("config.toml"))
  }

  private func save(_ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: service.file), options: .atomic)
  }

  /// The session's screens with this configuration, in place of those that the journey has.
  private func open(_ journey: Journey) async -> TestScreen {
    journey.screen.application.finish()
    await journey.session.restore()
    let reading = service.load()
    let keyMap = KeyMap(bindings: reading.configuration.keys, file: service.file)
    let changes = ConfigurationChanges(
      reading, problems: reading.problems + keyMap.problems,
      watch: ConfigurationWatch(service: service), environment: [:])
    return TestScreen(
      table: keyMap.table, root: RallyView(session: journey.session, changes: changes))
  }

  @Test func `footer, help and command line follow the keys as they are saved`() async throws {
    try await TestServer.with { server in
      let journey = try await Journey(on: server, as: "ana")
      let screen = await open(journey)
      await screen.waitFor("● live")
      screen.press("3")
      await screen.waitFor("c find people")

      try save("[keys]\nfriends.find = \"n\"\nmap.night = \"none\"\nrefresh = \"F5\"\n")

      await screen.waitFor("n find people")
      await screen.waitFor("The configuration was read again.")
      await screen.waitFor("Nobody here yet. n finds people by name")
      screen.press("?")
      await screen.waitFor("Keys of this screen")
      screen.type("refresh")
      await screen.waitFor("F5")
      screen.press("Esc Esc n")
      await screen.waitFor("Type part of a name")
      await journey.close()
    }
  }

  @Test func `a broken file keeps what counts and says its line`() async throws {
    try save("[keys]\nfriends.find = \"n\"\n[interface]\nmouse = \"on\"\n")
    try await TestServer.with { server in
      let journey = try await Journey(on: server, as: "ana")
      let screen = await open(journey)
      await screen.waitFor("● live")
      await screen.waitUntil { screen.terminal.isMouseOn }
      screen.press("3")
      await screen.waitFor("n find people")

      try save("[keys]\nfriends.find = \n")
      await screen.waitFor("config.toml:2:")
      #expect(screen.contains("n find people"))
      #expect(screen.terminal.isMouseOn)

      try save("[interface]\nmouse = \"off\"\ncolor = \"never\"\n")
      await screen.waitFor("c find people")
      await screen.waitUntil { !screen.terminal.isMouseOn }
      await screen.waitFor("interface.color takes effect at the next start.")
      await journey.close()
    }
  }

  @Test func `signals that the file changed win, others stay as they were told`() async throws {
    try save("[policy]\nthermal = \"nominal\"\n")
    try await TestServer.with { server in
      let journey = try await Journey(on: server)
      let screen = await open(journey)
      await screen.waitUntilIdle()
      let coordinator = journey.session.runtimePolicyCoordinator
      coordinator.overrides = PolicyOverrides(lowPower: true, thermal: .fair)

      try save("[policy]\nthermal = \"serious\"\nlow_data = true\n")
      await screen.waitUntil { coordinator.overrides.thermal == .serious }
      #expect(
        coordinator.overrides == PolicyOverrides(lowPower: true, thermal: .serious, lowData: true))
      await journey.close()
    }
  }

  @Test func `a setting that is kept counts at the next start, and config.toml stays as it is`()
    async throws
  {
    try save("[interface]\nmouse = \"off\"\n")
    try await TestServer.with { server in
      let journey = try await Journey(on: server, as: "ana")
      let screen = await open(journey)
      await screen.waitFor("● live")
      screen.press("g s")
      await screen.waitFor("unless w keeps it")
      screen.press("w")
      await screen.waitFor("Nothing here differs from what the configuration has.")
      screen.press("l j l w")
      await screen.waitFor(
        "config.toml:2:1: interface.mouse is set here, and wins over settings.toml")
      let reading = service.load()
      #expect(reading.configuration.theme == .dark)
      #expect(reading.configuration.mouse == .off)
      #expect(
        try String(contentsOfFile: service.file, encoding: .utf8)
          == "[interface]\nmouse = \"off\"\n")

      // What this interface wrote itself is no news; what somebody else writes is.
      _ = try service.keep([KeptSetting(.named("interface.theme"), value: "\"light\"")])
      await screen.waitUntil { screen.terminal.theme == .fixed(.light) }
      await screen.waitFor("The configuration was read again.")
      await journey.close()
    }
  }

  @Test func `a configuration that was named counts alone, and nothing is kept`() async throws {
    try save("")
    try await TestServer.with { server in
      let journey = try await Journey(on: server, as: "ana")
      journey.screen.application.finish()
      await journey.session.restore()
      let named = ConfigurationService(file: service.file, isNamed: true)
      let changes = ConfigurationChanges(
        named.load(), problems: [], watch: ConfigurationWatch(service: named))
      let screen = TestScreen(
        table: .rally, root: RallyView(session: journey.session, changes: changes))
      await screen.waitFor("● live")
      screen.press("g s")
      await screen.waitFor("This holds until Rally ends. In a configuration:")
      #expect(!screen.contains("w keep"))
      await journey.close()
    }
  }

  @Test func `problems are said at the start`() async throws {
    try save("[keys]\nfriends.find = \"r\"\n")
    try await TestServer.with { server in
      let journey = try await Journey(on: server)
      let screen = await open(journey)
      await screen.waitFor("config.toml:2:9: r leads to friends.find and to refresh")

      try save("[keys]\nmap.night = \"none\"\nmap.world = \"f\"\n")
      await screen.waitFor("config.toml:3:5: f leads to map.world and to map.follow")
      await journey.close()
    }
  }
}
