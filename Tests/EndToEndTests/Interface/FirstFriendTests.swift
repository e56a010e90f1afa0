import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  /// The way from nothing to what the program is for, with its keys and seconds counted.
  @Suite struct FirstFriendTests {
    @Test
    func `from an empty folder two keys lead to the first friend on a map of streets`()
      async throws
    {
      let served = try await ServedRally()
      let bob = try await served.home("bob", displayName: "Bob Stone")
      try await bob.must("location", "share", "precise")
      let link = try await bob.must("invite").output.trimmingCharacters(in: .newlines)
      var home = try served.home()
      home.isFirstVisit = true
      // The streets come from a file, as they come from the setting's address elsewhere.
      let folder = home.folder.file("config/rally")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try "[map]\nsource = \"\(MapAddTests.path("monaco.pmtiles"))\"\n".write(
        toFile: "\(folder)/config.toml", atomically: true, encoding: .utf8)

      let start = ContinuousClock.now
      try await home.must("map", "add", "Monaco", "--yes")
      let session = try await home.open(rows: 30, columns: 100, link)
      try await session.waitFor("@bob invites you: you become friends.", "New account")
      var keys = 0
      for (field, typed) in [("▸ Username", "ana"), ("▸ Password", Home.password)] {
        try await session.waitFor(field)
        session.send(typed)
        session.send(.enter)
        keys += 1
      }
      try await session.waitFor("You and @bob are friends now.")
      // The map is open, and shows him as soon as he is somewhere.
      try await bob.must("location", "set", "43.7384,7.4246")
      // A street of the archive by its name, and the attribution of what is drawn.
      try await session.waitFor("▐1 Map▌", "B bob", "Avenue", "© OpenStreetMap contributors")
      #expect(keys == 2)
      #expect(ContinuousClock.now - start < .seconds(60))
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(session.leftBehind == [])
    }
  }
}
