import Foundation
import RallySystem
import RallyTestSupport
import RallyWire

/// Measures the `rally` client.
struct RallyMeasurements {
  let server: BenchmarkServer
  let plan: Plan

  private let subject = "rally"

  /// - Throws: `BenchFailure` or `ProcessFailure` if the program does not get as far as a
  ///   measurement needs.
  func measure(into table: inout ResultTable) throws {
    try measureStarts(into: &table)
    let probe = try open()
    defer { quit(probe) }
    measureKeys(probe, into: &table)
    try measureRequests(probe, into: &table)
    measureIdleness(probe, into: &table)
  }

  /// Measures only the time from a key to the screen.
  ///
  /// - Throws: As `measure(into:)`.
  func measureKeys(into table: inout ResultTable) throws {
    let probe = try open()
    defer { quit(probe) }
    measureKeys(probe, into: &table)
  }

  /// Starts the program and waits until it is quiet.
  private func open() throws -> TerminalProbe {
    let probe = try TerminalProbe(
      RallyBinary.required(), server.arguments, environment: server.folder.environment)
    guard probe.read(within: .seconds(10), until: BenchmarkServer.showsFriends) != nil else {
      throw BenchFailure("no friends on the screen:\n\(probe.screen.text)")
    }
    probe.readUntilQuiet(for: .seconds(2))
    return probe
  }

  private func measureStarts(into table: inout ResultTable) throws {
    progress("first frames, server not answering")
    server.process.signal(SIGSTOP)
    var alone = Sample()
    let client = try server.startSubject()
    for _ in 0..<plan.starts { if let start = client.start() { alone.add(start.elapsed) } }
    server.process.signal(SIGCONT)
    table.add(
      subject, "first usable frame, server not answering", alone.quantile(0.5), target: 30)
  }

  private func measureKeys(_ probe: TerminalProbe, into table: inout ResultTable) {
    progress("keys")
    addKeys("j and k", probe.measureMoves(plan.keys, keys: ["j", "j", "k", "k"]), into: &table)
    probe.type(":")
    addKeys("typing", probe.measureTyping(plan.keys), into: &table)

    progress("keys while events arrive")
    probe.type("\u{15}")
    let load = FriendRequestLoad(server)
    probe.read(for: .seconds(1))
    let busy = probe.measureTyping(plan.keys).times
    let rate = load.end()
    table.add(subject, "key to paint, median, events arriving", busy.quantile(0.5))
    table.add(
      subject, "key to paint, 99 %, \(Int(rate.rounded())) events a second",
      busy.values.count == plan.keys ? busy.quantile(0.99) : nil, target: 2)
    probe.type("\u{1B}")
    probe.readUntilQuiet(for: .seconds(2))
  }

  private func measureRequests(_ probe: TerminalProbe, into table: inout ResultTable) throws {
    progress("requests")
    table.add(
      subject, "request answered to the other screen, median",
      try requests(probe).quantile(0.5), target: 300)
  }

  private func measureIdleness(_ probe: TerminalProbe, into table: inout ResultTable) {
    progress("idleness")
    let idle = IdleFigures(probe, for: plan.idle)
    let seconds = Int(plan.idle.components.seconds)
    table.add(
      subject, "bytes written, idle \(seconds) s", idle.map { Double($0.bytes) }, "B", target: 0)
    // A heartbeat and its response every 40 s, and an age that goes on.
    table.add(
      subject, "wake-ups, idle \(seconds) s", idle.map { Double($0.switches) }, "",
      target: Double(4 * max(1, seconds / 60)))
    table.add(subject, "processor, idle \(seconds) s", idle.map { Double($0.ticks) }, "ticks")

    let memory = ProcessFigures(of: probe.processID)
    table.add(subject, "client resident", memory?.residentMegabytes, "MiB", target: 32)
    table.add(subject, "client's private memory", memory?.privateMegabytes, "MiB", target: 6)
    table.add(
      subject, "server resident",
      ProcessFigures(of: server.process.processID)?.residentMegabytes, "MiB", target: 45)
  }

  private func addKeys(_ keys: String, _ figures: KeyFigures, into table: inout ResultTable) {
    let times = figures.times.values.count == plan.keys ? figures.times : Sample()
    table.add(subject, "key to paint, \(keys), median", times.quantile(0.5), target: 0.6)
    table.add(subject, "key to paint, \(keys), 95 %", times.quantile(0.95))
    table.add(subject, "key to paint, \(keys), 99 %", times.quantile(0.99), target: 1.5)
    table.add(subject, "processor of a key, \(keys)", figures.processorEach, target: 0.5)
  }

  /// The time from the server's response to the sender until the request is on the receiver's
  /// screen.
  private func requests(_ probe: TerminalProbe) throws -> Sample {
    var sample = Sample()
    guard let person = server.users.last else { return sample }
    for _ in 0..<plan.requests {
      try server.call(RequestFriend(userID: server.measured.id), as: person)
      let answered = ContinuousClock.now
      let seen = probe.read(within: .seconds(10)) { $0.contains(person.username) }
      guard let seen else { break }
      sample.add(max(seen - answered, .zero))
      try server.call(CancelFriendRequest(userID: server.measured.id), as: person)
      guard probe.read(within: .seconds(10), until: { !$0.contains(person.username) }) != nil
      else { break }
    }
    return sample
  }

  private func quit(_ probe: TerminalProbe) {
    kill(probe.processID, SIGTERM)
    probe.read(for: .milliseconds(50))
  }
}
