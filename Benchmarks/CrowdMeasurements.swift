import Foundation
import RallyTestSupport
import RallyWire

/// Measures many people who are on the way to one mission: how fast a move reaches the sockets of
/// all, and the screen of one.
struct CrowdMeasurements {
  let plan: Plan

  private let subject = "server"
  /// Members on the way, each seen by all others.
  private static let people = 200
  /// Seconds between two moves of one person; the client measures every fifteen.
  private static let pace = 10
  private static let seconds = 20
  private static let place = Coordinate(latitude: 48.5, longitude: 16.4)

  /// - Throws: `BenchFailure` or `ProcessFailure` if the server cannot be set up, or the mission does
  ///   not appear on the screen.
  func measure(into table: inout ResultTable) async throws {
    progress("\(Self.people) people on the way to one mission (signing up takes a while)")
    let server = try await BenchmarkServer(size: Self.people, friends: Self.people)
    try await server.signIn()
    let mission = try begin(on: server)
    try await sockets(of: server, into: &table)
    try screen(of: server, title: mission, into: &table)
  }

  /// Has everybody join a mission of the measured person and set out for it.
  ///
  /// - Returns: Its title.
  private func begin(on server: BenchmarkServer) throws -> String {
    guard let place = Self.place else { throw BenchFailure("a mission needs a place") }
    let title = "Crowd"
    let mission = CreateMission(
      title: title, centre: place, radiusMetres: 100, visibility: .friends)
    let id = try WireJSON.decode(
      MissionRecord.self, from: server.call(mission, as: server.measured)
    ).id
    for person in server.users {
      try server.call(JoinMission(missionID: id), as: person)
    }
    let everybody = server.users.map(\.id) + [server.measured.id]
    for person in server.users {
      try server.call(
        BeginOnMyWay(missionID: id, userIDs: everybody.filter { $0 != person.id }), as: person)
      // Nothing is stored of those whom nobody sees, so that this is the first position.
      try move(person, to: DueLatitude.value(due: SpokenTime.now), on: server)
    }
    return title
  }

  private func move(
    _ person: BenchmarkServer.Person, to latitude: Double, on server: BenchmarkServer
  ) throws {
    try server.publish(latitude: latitude, longitude: 16.4, as: person)
  }

  private func sockets(of server: BenchmarkServer, into table: inout ResultTable) async throws {
    let tokens = server.users.compactMap(\.connection.token)
    let generator = try await SocketLoad.start(tokens: tokens, feed: .positions, on: server)
    let step = UInt64(Self.pace) * 1_000_000_000 / UInt64(Self.people)
    let start = SpokenTime.now
    let moves = Self.seconds * Self.people / Self.pace
    for number in 0..<moves {
      let due = start + step * UInt64(number)
      let now = SpokenTime.now
      if now < due { usleep(UInt32((due - now) / 1000)) }
      try move(
        server.users[number % Self.people], to: DueLatitude.value(due: due), on: server)
    }
    usleep(1_000_000)
    let result = try await SocketLoad.end(generator)
    let what =
      "\(Self.people) on the way, \(Self.people / Self.pace) moves a second, to each socket"
    table.add(subject, "\(what), median", result.median)
    table.add(subject, "\(what), 99 %", result.slowest, target: 100)
    // Each move is told to its owner's own socket too.
    table.add(
      subject, "moves that did not arrive", Double(moves * Self.people - result.frames), "",
      target: 0)
    table.add(
      subject, "bytes a member a minute, everybody moving every \(Self.pace) s",
      Double(result.bytes) / Double(Self.people) * 60 / Double(Self.seconds) / 1024, "KiB")
  }

  /// The time from the answer to one who moves until the screen of another shows it, while the
  /// others move too.
  private func screen(
    of server: BenchmarkServer, title: String, into table: inout ResultTable
  ) throws {
    let probe = try TerminalProbe(
      RallyBinary.required(), server.arguments, environment: server.folder.environment,
      rows: 60, columns: 200)
    defer {
      kill(probe.processID, SIGTERM)
      probe.read(for: .milliseconds(50))
    }
    _ = probe.read(within: .seconds(10)) { $0.contains("● live") }
    probe.type("2")
    _ = probe.read(within: .seconds(10)) { $0.contains(title) }
    // The nearest stands first, so that the row is on the screen.
    let walker = server.users[0]
    try move(walker, to: 48.48, on: server)
    probe.type("\r")
    guard probe.read(within: .seconds(10), until: { line(of: walker, $0) != nil }) != nil else {
      throw BenchFailure("nobody on the way is on the screen:\n\(probe.screen.text)")
    }
    probe.readUntilQuiet(for: .seconds(1))

    let before = ProcessFigures(of: probe.processID)
    let written = probe.bytesWritten
    let startedAt = ContinuousClock.now
    var shown = Sample()
    for number in 0..<plan.requests {
      let seen = line(of: walker, probe.screen)
      try move(walker, to: number % 2 == 0 ? 48.49 : 48.48, on: server)
      let answered = ContinuousClock.now
      let painted = probe.read(within: .seconds(5)) {
        line(of: walker, $0).map { $0 != seen } ?? false
      }
      guard let painted else { break }
      shown.add(max(.zero, painted - answered))
      for other in server.users[1...].shuffled().prefix(10) {
        try move(other, to: DueLatitude.value(due: SpokenTime.now), on: server)
      }
      probe.read(for: .milliseconds(100))
    }
    let isWhole = shown.values.count == plan.requests
    let what = "a move of one of \(Self.people) on the way, on another screen"
    table.add("rally", "\(what), median", isWhole ? shown.quantile(0.5) : nil)
    table.add("rally", "\(what), 99 %", isWhole ? shown.quantile(0.99) : nil, target: 100)
    let moves = Double(max(1, shown.values.count) * 11)
    table.add(
      "rally", "bytes to the terminal a move", Double(probe.bytesWritten - written) / moves, "B")
    if let before, let after = ProcessFigures(of: probe.processID) {
      let seconds = (ContinuousClock.now - startedAt).milliseconds / 1000
      table.add(
        "rally", "processor of the client meanwhile",
        Double(after.ticks - before.ticks) / seconds, "%")
    }
  }

  /// The row of the strip that names somebody; nil if there is none.
  private func line(
    of person: BenchmarkServer.Person, _ screen: ScreenEmulator
  ) -> String? {
    screen.lines.first { $0.contains("→ \(person.username)") }
  }
}
