import Foundation
import RallySystem
import RallyTestSupport
import RallyWire

/// Load tests of one machine: many users, many sockets, many requests.
struct ScaleMeasurements {
  let plan: ScalePlan

  private let subject = "server"
  private static let pageSize = 50

  /// - Throws: `BenchFailure` or `ProcessFailure` if the server cannot be set up or a request
  ///   fails.
  func measure(into table: inout ResultTable) async throws {
    let (server, database) = try await populatedServer()
    try searches(in: server, into: &table)
    try friends(in: server, into: &table)
    try await requests(to: server, into: &table)
    try await sockets(database.createMissions(), on: server, into: &table)
  }

  /// Measures only searches among many people and a long list of friends.
  ///
  /// - Throws: `BenchFailure` or `ProcessFailure`, as `measure(into:)`.
  func measurePeople(into table: inout ResultTable) async throws {
    let (server, _) = try await populatedServer()
    try searches(in: server, into: &table)
    try friends(in: server, into: &table)
  }

  /// Measures only the open sockets.
  ///
  /// - Throws: `BenchFailure` or `ProcessFailure`, as `measure(into:)`.
  func measureSockets(into table: inout ResultTable) async throws {
    let (server, database) = try await populatedServer()
    try await sockets(database.createMissions(), on: server, into: &table)
  }

  /// Measures as many open sockets as this machine allows.
  ///
  /// - Throws: `BenchFailure` or `ProcessFailure`, as `measure(into:)`.
  func measureMostSockets(into table: inout ResultTable) async throws {
    let (server, database) = try await populatedServer()
    let generator = try await openSockets(
      of: database.createMissions().map(\.members), on: server, into: &table)
    generator.closeInput()
    _ = try await generator.waitForExit()
  }

  /// Measures posts of phones beside open sockets.
  ///
  /// - Throws: `BenchFailure` or `ProcessFailure`, as `measure(into:)`.
  func measurePhones(into table: inout ResultTable) async throws {
    let (server, database) = try await populatedServer()
    let people = try database.createMissions().flatMap(\.members)
    let secrets = try database.addPhones(to: Array(people.prefix(plan.phones)))
    let generator = try await openSockets(of: [people], on: server)
    progress("\(plan.rate) posts of phones a second")
    let latencies = PhoneWriters(secrets: secrets, port: server.port, rate: plan.rate)
      .run(for: plan.seconds)
    generator.closeInput()
    _ = try await generator.waitForExit()
    func quantile(_ share: Double) -> Duration? {
      latencies.isEmpty ? nil : latencies[Int(share * Double(latencies.count - 1))]
    }
    let what = "\(plan.rate) posts of phones a second beside \(plan.sockets) sockets"
    table.add(subject, "\(what), median", quantile(0.5))
    table.add(subject, "\(what), 99 %", quantile(0.99), target: 20)
    table.add(
      subject, "posts that were not answered", Double(plan.rate * plan.seconds - latencies.count),
      "", target: Double(plan.rate) / 50)
  }

  private func populatedServer() async throws -> (BenchmarkServer, ScaleDatabase) {
    try OpenFiles.raise(to: plan.sockets + OpenFiles.besideSockets)
    progress("\(plan.people) people (filling takes a while)")
    let server = try await BenchmarkServer(size: 0, friends: 0)
    let database = try ScaleDatabase(
      path: server.folder.file("server/rally.db"), person: server.measured.id, plan: plan)
    try database.fill()
    return (server, database)
  }

  // MARK: - People

  private func searches(in server: BenchmarkServer, into table: inout ResultTable) throws {
    progress("searches")
    let names = ScaleDatabase.firstNames
    let prefixes = names.flatMap { [String($0.prefix(1)), String($0.prefix(2)), $0] }
    let infixes =
      names.map { String($0.dropFirst()) }.filter { $0.count >= 3 } + [
        // No match; no match although all trigrams occur in a common name; the end of common names.
        "zzz", "ivanovan", "son",
      ]
    for (what, texts, target) in [
      ("search by prefix", prefixes, 3.0), ("search by three letters and more", infixes, 10.0),
    ] {
      let sample = try measured(server) { SearchPeople(query: texts[$0 % texts.count], limit: 20) }
      add("\(what), \(Self.text(plan.people)) people", sample, target: target, into: &table)
    }
  }

  private func friends(in server: BenchmarkServer, into table: inout ResultTable) throws {
    progress("pages of friends")
    let last = max(0, plan.friends - Self.pageSize)
    for (what, offset) in [("first", 0), ("middle", last / 2), ("last", last)] {
      let sample = try measured(server) { _ in
        FetchFriends(limit: Self.pageSize, offset: offset)
      }
      add(
        "\(what) page of \(Self.text(plan.friends)) friends", sample, target: 2.5, into: &table)
    }
  }

  /// Repeats a request. The first response is not counted, since it reads the database pages into
  /// memory.
  private func measured<F: RemoteFunction>(
    _ server: BenchmarkServer, _ call: (Int) -> F
  ) throws -> Sample {
    var sample = Sample()
    for step in 0...plan.asks {
      let body = try WireJSON.encode(call(step))
      let start = ContinuousClock.now
      let answer = try server.measured.connection.post("/rest/v1/rpc/\(F.name)", body)
      let taken = ContinuousClock.now - start
      guard answer.status == 200 else { throw BenchFailure("\(F.name): \(answer.status)") }
      if step > 0 { sample.add(taken) }
    }
    return sample
  }

  private func add(
    _ what: String, _ sample: Sample, target: Double, into table: inout ResultTable
  ) {
    table.add(subject, "\(what), median", sample.quantile(0.5))
    table.add(subject, "\(what), 99 %", sample.quantile(0.99), target: target)
  }

  private static func text(_ number: Int) -> String {
    number.formatted(.number.locale(Locale(identifier: "en_US")))
  }

  // MARK: - Requests

  /// Measures a minimal request, and one to Hummingbird's hello-world server for comparison.
  private func requests(to server: BenchmarkServer, into table: inout ResultTable) async throws {
    progress("plain requests")
    let hello = try RunningCommand(
      Bench.executable, [HelloServer.flag], environment: server.folder.environment)
    defer { hello.signal(SIGKILL) }
    guard let helloPort = UInt16(try await hello.firstLine()) else {
      throw BenchFailure("Hummingbird's hello says no port")
    }
    let programs = [
      (name: "hummingbird", port: helloPort, path: "/hello"),
      (name: subject, port: server.port, path: "/auth/v1/health"),
    ]
    var times = programs.map { _ in Sample() }
    var slowest = times
    // What slows the machine down for a while slows both.
    let seconds = plan.seconds / plan.turns
    for _ in 0..<plan.turns {
      for (index, program) in programs.enumerated() {
        let run = try generate(
          RequestLoad.flag,
          [
            "\(program.port)", program.path, server.announcement.key, "\(plan.connections)",
            "\(seconds)",
          ], in: server)
        let result = try await RequestLoad.Result(run.firstLine())
        times[index].add(.seconds(seconds) / max(1, result.answers))
        slowest[index].add(result.slowest)
      }
    }
    let medians = times.map { $0.quantile(0.5) ?? .zero }
    for (index, program) in programs.enumerated() {
      let what = "\(program.path), \(plan.connections) connections"
      table.add(program.name, "\(what), a second", .seconds(1) / medians[index], "")
      table.add(program.name, "\(what), 99 %", slowest[index].quantile(0.5))
    }
    // Eight tenths of hello's rate are enough for answers that say something.
    table.add(
      subject, "time of a request, of hummingbird's", medians[1] / medians[0], "x", target: 1.25)
  }

  // MARK: - Sockets

  private func sockets(
    _ missions: [ScaleDatabase.MissionMembers], on server: BenchmarkServer,
    into table: inout ResultTable
  ) async throws {
    let mint = try TokenMint(file: server.folder.file("server/server.json"))
    let tokens = try missions.map { try $0.members.map(mint.token(for:)) }
    let generator = try await openSockets(of: missions.map(\.members), on: server, into: &table)
    let writers = try ChangeWriters(
      missions: zip(missions, tokens).compactMap { mission, tokens in
        tokens.first.map { (id: mission.id, token: $0) }
      },
      ports: [server.port], key: server.announcement.key, rate: plan.rate)
    let changes = writers.run(for: plan.seconds)
    let result = try await SocketLoad.end(generator)
    let what = "\(plan.rate) changes a second, each to \(plan.audience)"
    table.add(subject, "\(what), median", result.median)
    table.add(subject, "\(what), 99 %", result.slowest, target: 50)
    // The last few may still be pending at the end.
    table.add(
      subject, "changes that were not made", Double(plan.rate * plan.seconds - changes), "",
      target: Double(plan.rate) / 50)
    table.add(
      subject, "frames a second that arrived", Double(result.frames) / Double(plan.seconds), "")
    table.add(
      subject, "frames that did not arrive", Double(changes * plan.audience - result.frames), "",
      target: 0)
    try await compare(result, what, into: &table)
  }

  /// Sends as many messages of the same size through mosquitto, where it is installed.
  private func compare(
    _ own: SocketLoad.Result, _ what: String, into table: inout ResultTable
  ) async throws {
    guard let mosquitto = MosquittoFanOut.executable else {
      return progress("\(MosquittoFanOut.name) is not installed")
    }
    progress(MosquittoFanOut.name)
    let fanOut = MosquittoFanOut(plan: plan, size: own.bytes / max(1, own.frames))
    let other = try await fanOut.run(mosquitto)
    table.add(MosquittoFanOut.name, "\(what), median", other.median)
    table.add(MosquittoFanOut.name, "\(what), 99 %", other.slowest)
    table.add(
      MosquittoFanOut.name, "frames a second that arrived",
      Double(other.frames) / Double(plan.seconds), "")
    table.add(
      subject, "\(what), 99 %, of \(MosquittoFanOut.name)'s", own.slowest / other.slowest, "x",
      target: 2)
  }

  /// Starts the generator as `openSockets(of:on:)` does, and measures what its sockets take.
  private func openSockets(
    of people: [[String]], on server: BenchmarkServer, into table: inout ResultTable
  ) async throws -> RunningCommand {
    progress("\(plan.sockets) sockets")
    func resident() -> Double? {
      ProcessFigures(of: server.process.processID)?.residentMegabytes
    }
    let (before, start) = (resident(), ContinuousClock.now)
    let generator = try await openSockets(of: people, on: server)
    let taken = ContinuousClock.now - start
    let size = zip2(before, resident()).map {
      ($1 - $0) * 1024 * 1.048_576 / Double(plan.sockets)
    }
    let count = Self.text(plan.sockets)
    table.add(subject, "until \(count) sockets have joined", taken)
    table.add(subject, "memory of one of \(count) sockets", size, "kB", target: 16)
    return generator
  }

  /// Starts the generator, and returns when all its sockets have joined.
  private func openSockets(
    of people: [[String]], on server: BenchmarkServer
  ) async throws -> RunningCommand {
    let mint = try TokenMint(file: server.folder.file("server/server.json"))
    return try await SocketLoad.start(
      tokens: people.joined().map(mint.token(for:)), feed: .messages, on: server)
  }

  private func zip2(_ a: Double?, _ b: Double?) -> (Double, Double)? {
    if let a, let b { (a, b) } else { nil }
  }

  private func generate(
    _ flag: String, _ arguments: [String], in server: BenchmarkServer
  ) throws -> RunningCommand {
    try RunningCommand(
      Bench.executable, [flag] + arguments, environment: server.folder.environment)
  }
}
