import Foundation
import RallyTestSupport
import RallyWire

/// Measures people who come in over SSH: their first frame, and what many idle ones cost the host.
struct GuestMeasurements {
  let plan: Plan
  /// Guests at once.
  let count: Int

  private static let subject = "rally over ssh"
  /// Accounts that the guests share, so that none has more sockets than a person may.
  private static let accounts = 25

  /// - Throws: `BenchFailure`, or `ProcessFailure` where sshd is missing.
  func measure(into table: inout ResultTable) async throws {
    let server = try await BenchmarkServer(size: Self.accounts)
    let daemon = try await SSHDaemon(
      data: server.folder.file("server"), server: server.announcement.url)
    progress("first frames over ssh")
    let first = try await command(of: server.measured, named: "measured", server, daemon)
    let start = StartSubject(
      name: Self.subject, command: "ssh", arguments: first, folder: server.folder,
      isUsable: {
        $0.contains("RALLY") && $0.contains("? help") && $0.contains("On the map")
      })
    var frames = Sample()
    for number in 0...plan.starts {
      guard let elapsed = start.start()?.elapsed else { continue }
      // The first start fills caches and makes files.
      if number > 0 { frames.add(elapsed) }
    }
    table.add(Self.subject, "first usable frame, median", frames.quantile(0.5), target: 400)
    try await measureIdle(server, daemon, into: &table)
  }

  private func measureIdle(
    _ server: BenchmarkServer, _ daemon: SSHDaemon, into table: inout ResultTable
  ) async throws {
    progress("\(count) idle guests")
    var commands: [[String]] = []
    for person in server.users {
      commands.append(try await command(of: person, named: person.username, server, daemon))
    }
    var guests: [RunningCommand] = []
    for number in 0..<count {
      let guest = try RunningCommand(
        "ssh", commands[number % commands.count], environment: server.folder.environment)
      guests.append(guest)
      // sshd turns away who comes in a crowd (MaxStartups).
      try await wait("guest \(number)") { guest.snapshot.outputText.contains("live") }
    }
    try await Task.sleep(for: .seconds(5))
    let processes = daemon.sessions.filter { Self.isClient($0) }
    let before = processes.map { ProcessFigures(of: $0) }
    try await Task.sleep(for: plan.idle)
    let after = processes.map { ProcessFigures(of: $0) }
    let minutes = Double(plan.idle.components.seconds) / 60
    let wakeUps = zip(before, after).compactMap { before, after in
      before.flatMap { before in after.map { Double($0.wakeUps(since: before)) / minutes } }
    }
    let memory = processes.compactMap(Self.privateMegabytes)
    table.add(Self.subject, "idle guests", Double(processes.count), "")
    table.add(
      Self.subject, "private memory, mean of \(memory.count)", Self.mean(memory), "MiB", target: 30)
    table.add(Self.subject, "private memory, largest", memory.max(), "MiB", target: 30)
    // A heartbeat and its response every 40 s, and an age that goes on.
    table.add(
      Self.subject, "wake-ups of a guest in a minute, mean", Self.mean(wakeUps), "", target: 8)
    for guest in guests { guest.signal(SIGKILL) }
    try await wait("the guests' end") { daemon.sessions.isEmpty }
  }

  /// The arguments of `ssh` for a person, who gets a key.
  private func command(
    of person: BenchmarkServer.Person, named name: String, _ server: BenchmarkServer,
    _ daemon: SSHDaemon
  ) async throws -> [String] {
    let file = server.folder.file("key-\(name)")
    let made = try await CommandRun.of(
      "ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file],
      environment: server.folder.environment)
    guard made.succeeded else { throw BenchFailure("\(made)") }
    let line = try String(contentsOfFile: file + ".pub", encoding: .utf8)
    try server.call(
      AddSSHKey(keyID: UUID(), name: "key", key: SSHPublicKey(line: line)), as: person)
    let options = daemon.options(key: file, hosts: server.folder.file("hosts"))
    let claim = try await CommandRun.of(
      "ssh", options + [SSHDaemon.address, "claim", person.username],
      environment: server.folder.environment)
    guard claim.succeeded else { throw BenchFailure("\(claim)") }
    return options + ["-tt", SSHDaemon.address]
  }

  private func wait(_ what: String, _ condition: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while !condition() {
      guard ContinuousClock.now < deadline else { throw BenchFailure("never came: \(what)") }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Not the shell that sshd starts it with.
  private static func isClient(_ process: pid_t) -> Bool {
    let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
    return program?.hasSuffix("/rally") == true
  }

  /// Memory that is this process's alone, in MiB.
  private static func privateMegabytes(_ process: pid_t) -> Double? {
    guard
      let text = try? String(
        contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)
    else { return nil }
    let kilobytes = text.split(separator: "\n").filter { $0.hasPrefix("Private_") }
      .compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
    return Double(kilobytes.reduce(0, +)) / 1024
  }

  private static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}
