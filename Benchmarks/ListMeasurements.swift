import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire

/// Measures starts with ten thousand friends, and lists of a hundred thousand in the running
/// program.
///
/// The people are written into the program's cache, since a server would take minutes to make them
/// friends. The server is stopped (SIGSTOP) meanwhile.
struct ListMeasurements {
  let server: BenchmarkServer
  let plan: Plan

  static let count = 100_000
  private let subject = "rally"

  /// Needs the cache that the program wrote in an earlier measurement with few friends.
  ///
  /// - Throws: `BenchFailure` or `ProcessFailure` if the list does not appear on the screen.
  func measure(into table: inout ResultTable) throws {
    server.process.signal(SIGSTOP)
    defer { server.process.signal(SIGCONT) }
    progress("starts with 10,000 friends")
    try measureStarts(into: &table)
    progress("lists of \(Self.count) people")
    let cache = try cacheFile()
    try contents(of: cache, friends: Self.count).write(to: cache)
    let probe = try TerminalProbe(
      RallyBinary.required(), server.arguments, environment: server.folder.environment)
    defer {
      kill(probe.processID, SIGTERM)
      probe.read(for: .milliseconds(50))
    }
    let opened = probe.read(within: .seconds(60)) { $0.contains("\(Self.count) friends") }
    guard let opened else { throw BenchFailure("no long list:\n\(probe.screen.text)") }
    table.add(subject, "first frame of 100,000 friends, cached", opened - probe.startedAt)
    probe.readUntilQuiet(for: .seconds(2))

    measureMoves(probe, into: &table)
    measureFilter(probe, into: &table)
    table.add(
      subject, "client resident, 100,000 friends",
      ProcessFigures(of: probe.processID)?.residentMegabytes, "MiB")
  }

  private func measureStarts(into table: inout ResultTable) throws {
    let few = try server.startSubject()
    let many = StartSubject(
      name: few.name, command: few.command, arguments: few.arguments,
      folder: few.folder, isUsable: { $0.contains("10000 friends") })
    let cache = try cacheFile()
    let turns = [
      (few, try Data(contentsOf: cache)), (many, try contents(of: cache, friends: 10_000)),
    ]
    var samples = [Sample(), Sample()]
    for _ in 0..<plan.starts {
      for (index, (subject, contents)) in turns.enumerated() {
        try contents.write(to: cache)
        if let start = subject.start() { samples[index].add(start.elapsed) }
      }
    }
    let (usual, median) = (samples[0].quantile(0.5), samples[1].quantile(0.5))
    table.add(subject, "first frame of 10,000 friends, cached", median)
    table.add(
      subject, "the same, of the start with few friends",
      usual.flatMap { usual in median.map { $0 / usual } }, "x", target: 1.5)
    let probe = try TerminalProbe(few.command, few.arguments, environment: few.folder.environment)
    _ = probe.read(within: .seconds(10), until: many.isUsable)
    probe.readUntilQuiet(for: .seconds(2))
    table.add(
      subject, "private memory, 10,000 friends",
      ProcessFigures(of: probe.processID)?.privateMegabytes, "MiB", target: 16)
    kill(probe.processID, SIGTERM)
    probe.read(for: .milliseconds(50))
  }

  private func measureMoves(_ probe: TerminalProbe, into table: inout ResultTable) {
    let moves = paints(probe, ["j", "j", "j", "k", "k", "k"])
    table.add(subject, "a move in 100,000 rows, key to paint, 95 %", moves.times.quantile(0.95))
    table.add(subject, "bytes of a cursor move, 80x24", moves.bytesEach, "B", target: 150)
    let pages = paints(probe, ["\u{1B}[6~", "\u{1B}[6~", "\u{1B}[5~"])
    table.add(
      subject, "a page in 100,000 rows, key to paint, 95 %", pages.times.quantile(0.95), target: 10)
    table.add(subject, "bytes of a page, 80x24", pages.bytesEach, "B")
    let ends = paints(probe, ["G", "gg"])
    table.add(
      subject, "to the last of 100,000 rows and back, 95 %", ends.times.quantile(0.95), target: 10)
  }

  private func measureFilter(_ probe: TerminalProbe, into table: inout ResultTable) {
    probe.type("/")
    probe.readUntilQuiet(for: .milliseconds(300))
    // Each letter leaves fewer rows, the first nearly all; ^U shows all again.
    let letters = paints(probe, ["a", "n", "a", " ", "7", "\u{15}"])
    table.add(subject, "a filter key at 100,000 rows, median", letters.times.quantile(0.5))
    table.add(
      subject, "a filter key at 100,000 rows, 95 %", letters.times.quantile(0.95), target: 10)
    probe.type("\u{1B}")
    probe.readUntilQuiet(for: .milliseconds(300))
    probe.type("\u{0B}")
    probe.readUntilQuiet(for: .milliseconds(300))
    let found = paints(probe, ["a", "n", "p", "7", "\u{15}"])
    table.add(
      subject, "going to anything among 100,000, a key, 95 %", found.times.quantile(0.95),
      target: 20)
    probe.type("\u{1B}")
    probe.readUntilQuiet(for: .milliseconds(300))
  }

  /// Times from each key to the first bytes, since a frame is written in one piece, and the bytes
  /// written per key.
  private func paints(
    _ probe: TerminalProbe, _ keys: [String]
  ) -> (times: Sample, bytesEach: Double) {
    var times = Sample()
    let before = probe.bytesWritten
    for number in 0..<plan.keys / 2 {
      let written = probe.bytesWritten
      let pressed = probe.type(keys[number % keys.count])
      let painted = probe.read(within: .seconds(5)) { _ in probe.bytesWritten > written }
      if let painted { times.add(painted - pressed) }
      probe.readUntilQuiet(for: .milliseconds(20))
    }
    return (times, Double(probe.bytesWritten - before) / Double(max(1, plan.keys / 2)))
  }

  // MARK: The cache

  /// The file in which the program keeps what is known of people.
  private func cacheFile() throws -> URL {
    let path = server.folder.path
    let file = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }
      .first { $0.contains("/social") && $0.hasSuffix(".json") }
    guard let file else { throw BenchFailure("the program has written no cache below \(path)") }
    return URL(fileURLWithPath: "\(path)/\(file)")
  }

  /// The content of the cache with so many friends instead.
  private func contents(of file: URL, friends count: Int) throws -> Data {
    guard
      var cache = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any],
      var lists = cache["lists"] as? [String: Any]
    else { throw BenchFailure("the cache is not what it was: \(file.path)") }
    let first = ["Ana", "Kenji", "Lucía", "Rui", "Max", "Zoë", "Andrew", "Tomás", "Ines", "Mei"]
    let second = ["Pereira", "Tanaka", "Gómez", "Costa", "Lind", "Brandt", "Okoro", "Rey", "Vaz"]
    let now = WireTime.now
    let friends = (0..<count).map { number in
      CommunityProfile(
        id: UUID(), username: "person\(number)",
        displayName:
          "\(first[number % first.count]) \(second[number / 10 % second.count]) \(number)",
        joinedAt: now, since: now, presence: .offline, friendshipStatus: .friends)
    }
    lists["friends"] = PackedProfiles.pack(friends).base64EncodedString()
    cache["lists"] = lists
    return try JSONSerialization.data(withJSONObject: cache, options: .withoutEscapingSlashes)
  }
}
