import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// On the way to a mission in three terminals, with a real gpsd as the walker's receiver.
  @Suite struct OnMyWayTests {
    @Test
    func `two see a third walk to the mission and arrive, and one who is no reader sees nothing`()
      async throws
    {
      // given: Bob walks 250 m to Ana's mission and stays there; Cleo joins after he set out.
      let served = try await ServedRally()
      let (ana, bob) = (try await served.home("ana"), try await served.home("bob"))
      let (cleo, dora) = (try await served.home("cleo"), try await served.home("dora"))
      for (home, name) in [(bob, "bob"), (cleo, "cleo"), (dora, "dora")] {
        try await served.befriend(ana, home, named: ("ana", name))
      }
      try await ana.must(
        "missions", "new", "--title", "Lanterns", "--at", "38.712,-9.13", "--radius", "100 m",
        "--visibility", "friends", "--objective", "Blue door")
      for home in [bob, dora] { try await home.must("missions", "join", "Lanterns") }
      let place = try #require(Coordinate(latitude: 38.712, longitude: -9.13))
      let log = bob.folder.file("walk.nmea")
      try NMEAWalk(to: place, metres: 250, speed: 5, rest: 60).write(to: log)
      let gpsd = try await GPSDServer(log, cycle: 0.5)
      let walker = try await bob.open(
        rows: 24, columns: 80, adding: ["RALLY_GPSD": "127.0.0.1:\(gpsd.port)"])
      let screens = [try await ana.open(rows: 40, columns: 120), try await dora.open()]
      for session in screens + [walker] {
        try await session.waitUntilLive()
        session.send("2")
        try await session.waitFor("Lanterns")
        session.send("\r")
      }

      // when
      var isAsked = false
      while !isAsked {
        walker.send("W")
        let screen = try await walker.waitUntil("the question, or that no position came in time") {
          $0.contains("Show the way to Lanterns?") || $0.contains("Say where you are first")
        }
        isAsked = screen.contains("Show the way to Lanterns?")
        if !isAsked {
          try await walker.waitUntil("no notice") { !$0.contains("Say where you are first") }
        }
      }
      walker.send("y")

      // then: both see him come nearer, without a key.
      try await walker.waitFor("on the way · 2 see you")
      for session in screens { try await session.waitFor("→ bob") }
      try await cleo.must("missions", "join", "Lanterns")
      let late = try await cleo.open()
      try await late.waitUntilLive()
      late.send("2")
      try await late.waitFor("Lanterns")
      late.send("\r")
      // The walker is asked whether she sees it too, unless he is there first.
      let offer = try await walker.waitUntil("the offer to Cleo, or the arrival") {
        $0.contains("does not see your way") || $0.contains("You are there")
      }
      #expect(!offer.contains("Show them the way too?"))
      for session in screens { try await session.waitFor("✓ bob arrived") }
      try await walker.waitFor("You are there: ↵ checks in")
      try await walker.waitUntil("the end of the grant") { !$0.contains("on my way") }
      // He never said who sees him besides, so that nobody does any more.
      #expect(try await ana.must("where", "--json").json() == [])
      #expect(!late.screen.contains("→ bob") && !late.screen.contains("bob arrived"))
      #expect(try await cleo.must("missions", "coming", "Lanterns", "--json").json() == [])
      try await gpsd.end()
    }
  }
}
