import RallyDomain
import RallyTestSupport
import RallyTUI
import RallyWire
import TerminalKit
import Testing

/// Streets on the map of a person who has an archive of them.
@Suite struct StreetJourneyTests {
  @Test func `streets stand on the map, are found by name, and name where one is`() async throws {
    try await TestServer.with { server in
      let dario = try await Journey.live("dario", on: server, size: Size(width: 120, height: 40))
      let screen = dario.screen
      screen.press("1")
      screen.type(":here 43.7357,7.4198")
      screen.press("Enter")
      await screen.waitFor("You are at")

      // Without an archive: a grid, and how to get streets.
      screen.type("/43.7357,7.4198")
      screen.press("Enter")
      await screen.waitFor("no streets here: a adds them")

      // With one, at the next move of the map.
      try MonacoStreets.copy(to: "\(dario.folder.path)/streets")
      screen.type("++++++++++")
      await screen.waitFor("© OpenStreetMap")
      await screen.waitFor("Rue Grimaldi")
      await screen.waitFor("You: Rue Grimaldi, Monaco")

      // A street is found beside people and cities, and is gone to.
      screen.type("/caroline")
      await screen.waitFor("Rue Princesse Caroline")
      screen.press("Esc Esc")

      // So it is in the palette, and by a command.
      screen.press("^K")
      screen.type("Charles III")
      await screen.waitFor("Boulevard Charles III")
      screen.press("Esc Esc")
      screen.type(":go Avenue de la Costa")
      screen.press("Enter")
      await screen.waitFor("Avenue de la Costa")
      await dario.close()
    }
  }

  @Test func `a key on the map fetches a city's streets after a question, and they are drawn`()
    async throws
  {
    try await RangeServer.with(MonacoStreets.archive()) { tiles in
      tiles.change {
        $0.builds = #"[{"key":"20260101.pmtiles","uploaded":"2026","version":"4.1.0"}]"#
      }
      try await TestServer.with { server in
        let dario = try await Journey(on: server, as: "dario")
        await dario.session.restore()
        // Of two interfaces on one session the other one could tell how it ended.
        dario.screen.application.finish()
        var reading = ConfigurationLoadResult()
        reading.configuration.streetSource = .builds(tiles.buildsURL)
        let screen = TestScreen(
          size: Size(width: 100, height: 30), table: .rally,
          root: RallyView(
            session: dario.session, changes: ConfigurationChanges(reading, problems: [])))
        await screen.waitFor("● live")
        // Nobody knows where I am: a city has to be named.
        screen.type(":streets")
        screen.press("Enter")
        await screen.waitFor("Nobody knows where you are. Name a city: :streets Lisbon.")
        screen.press("1")
        screen.type("/43.7357,7.4198")
        screen.press("Enter")
        await screen.waitFor("no streets here: a adds them")
        screen.press("a")
        await screen.waitFor("Fetch the streets of Monaco?")
        await screen.waitFor("It learns this machine's address")
        screen.press("Esc")
        await screen.waitUntil { !screen.contains("Fetch the streets") }
        #expect(tiles.requests == 0)

        // By the command a list stands for what is only the beginning of a name.
        screen.type(":streets Monac")
        screen.press("Enter")
        await screen.waitFor("Streets of which city?")
        screen.press("Enter")
        await screen.waitFor("Fetch the streets of Monaco?")
        screen.press("y")
        // The map draws them without being moved.
        await screen.waitFor("© OpenStreetMap")
        // A message goes by itself; the list of all keeps it.
        screen.press("g m")
        await screen.waitFor("Added the streets of Monaco: 23 tiles")
        screen.press("Esc")
        await screen.waitUntil { !screen.contains("Added the streets") }
        #expect(!screen.contains("no streets here"))
        screen.application.finish()
        await dario.close()
      }
    }
  }

  @Test func `one can say where one is by a street`() async throws {
    try await TestServer.with { server in
      let dario = try await Journey.live("dario", on: server)
      try MonacoStreets.copy(to: "\(dario.folder.path)/streets")
      dario.screen.press("1")
      dario.screen.type(":here Rue Grimaldi")
      dario.screen.press("Enter")
      await dario.screen.waitFor("You are at Rue Grimaldi")
      await dario.close()
    }
  }

  @Test func `the beginning of a name offers the places that it may mean`() async throws {
    try await TestServer.with { server in
      let dario = try await Journey.live("dario", on: server)
      let screen = dario.screen
      screen.press("1")
      screen.type(":here Lisb for 2h")
      screen.press("Enter")
      await screen.waitFor("▸ Lisbon, Portugal")
      #expect(dario.session.services.currentLocationProvider.fix == nil)
      screen.press("Down")
      await screen.waitFor("▸ Lisburn, United Kingdom")
      screen.press("Enter")
      await screen.waitFor("You are at Lisburn for 2h")

      // None of them is taken either.
      screen.type(":here Lisb")
      screen.press("Enter")
      await screen.waitFor("▸ Lisbon, Portugal")
      screen.press("Esc")
      await screen.waitUntil { !screen.contains("▸ Lisbon, Portugal") }
      #expect(dario.session.services.currentLocationProvider.fix?.placeName == "Lisburn")
      // A whole name in any language is taken.
      screen.type(":here Roma")
      screen.press("Enter")
      await screen.waitFor("You are at Rome")
      await dario.close()
    }
  }

  @Test(arguments: MapStyleSetting.allCases)
  func `areas are painted where the terminal can, as the configuration says`(
    style: MapStyleSetting
  ) async throws {
    try await TestServer.with { server in
      let dario = try await Journey(on: server, as: "dario")
      await dario.session.restore()
      for (canPaint, isPainted) in [(true, style != .plain), (false, false)] {
        var reading = ConfigurationLoadResult()
        reading.configuration.mapStyle = style
        let screen = TestScreen(
          size: Size(width: 80, height: 24), table: .rally, paintsAreas: canPaint,
          root: RallyView(
            session: dario.session, changes: ConfigurationChanges(reading, problems: [])))
        screen.press("1")
        await screen.waitFor("5000 km")
        #expect(screen.hasPaintedAreas == isPainted)
        #expect(screen.hasPaintedScale == isPainted)

        // A constrained device saves the bytes, unless all are wanted.
        dario.policy.isLowPowerModeEnabled = true
        #expect(await eventually { screen.hasPaintedAreas == (isPainted && style == .full) })
        dario.policy.isLowPowerModeEnabled = false
        #expect(await eventually { screen.hasPaintedAreas == isPainted })
        screen.application.finish()
      }
      await dario.close()
    }
  }
}

extension TestScreen {
  /// Whether the map's scale, `└─ 5000 km ─┘`, stands on painted sea or land.
  fileprivate var hasPaintedScale: Bool {
    let buffer = terminal.screen
    let lines = ScreenPicture.lines(of: buffer)
    guard let row = lines.firstIndex(where: { $0.contains("5000 km") }) else { return false }
    return (0..<8).allSatisfy { buffer[$0, row].style.backdrop != .none }
  }

  fileprivate var hasPaintedAreas: Bool {
    let buffer = terminal.screen
    return (0..<buffer.size.height).contains { y in
      (0..<buffer.size.width).contains { x in buffer[x, y].style.backdrop.area == .fillLand }
    }
  }
}
