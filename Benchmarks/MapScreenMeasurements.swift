import Foundation
import RallyTestSupport
import RallyWire

/// Measures the Map tab of the running program at 200x60 with friends on the map.
struct MapScreenMeasurements {
  let server: BenchmarkServer
  let plan: Plan

  private let subject = "rally"

  /// - Throws: `BenchFailure` or `ProcessFailure` if the map does not appear on the screen.
  func measure(into table: inout ResultTable) throws {
    progress("the map on the screen")
    let travellers = Array(server.users.prefix(8))
    for (number, person) in travellers.enumerated() {
      try server.call(SetLocationSharing(userID: nil, mode: .precise), as: person)
      try server.publish(
        latitude: 40 + Double(number), longitude: 2 + Double(number) * 3, as: person)
    }
    let probe = try TerminalProbe(
      RallyBinary.required(), server.arguments, environment: server.folder.environment,
      rows: 60, columns: 200)
    defer {
      kill(probe.processID, SIGTERM)
      probe.read(for: .milliseconds(50))
    }
    _ = probe.read(within: .seconds(10)) { $0.contains("● live") }
    probe.type("1")
    guard probe.read(within: .seconds(10), until: { $0.contains("8 live") }) != nil else {
      throw BenchFailure("no friends on the map:\n\(probe.screen.text)")
    }
    probe.type("++++")
    probe.readUntilQuiet(for: .seconds(1))

    var paints = Sample()
    let before = probe.bytesWritten
    for number in 0..<plan.keys / 2 {
      if let painted = paint(probe, "hhllkkjj", number) { paints.add(painted) }
    }
    table.add(subject, "a pan of the map, 200x60, key to paint, median", paints.quantile(0.5))
    table.add(
      subject, "a pan of the map, 200x60, key to paint, 95 %", paints.quantile(0.95), target: 6)
    table.add(
      subject, "bytes of a pan step, 200x60",
      Double(probe.bytesWritten - before) / Double(max(1, plan.keys / 2)) / 1024, "KiB",
      target: 40)

    var moves = Sample()
    for number in 0..<plan.requests {
      let person = travellers[number % travellers.count]
      let seen = probe.bytesWritten
      try server.publish(
        latitude: 45 + Double(number % 5), longitude: 5 + Double(number % 9), as: person)
      let sent = ContinuousClock.now
      guard let shown = probe.read(within: .seconds(5), until: { _ in probe.bytesWritten > seen })
      else { break }
      moves.add(max(.zero, shown - sent))
      probe.readUntilQuiet(for: .milliseconds(60))
    }
    table.add(
      subject, "a friend's move on the other map, median",
      moves.values.count == plan.requests ? moves.quantile(0.5) : nil, target: 1000)
    table.add(
      subject, "client resident, with the map",
      ProcessFigures(of: probe.processID)?.residentMegabytes, "MiB", target: 32)
  }

  /// The time from the key to the first bytes, since a frame is written in one piece.
  private func paint(_ probe: TerminalProbe, _ keys: String, _ number: Int) -> Duration? {
    let key = String(keys[keys.index(keys.startIndex, offsetBy: number % keys.count)])
    let before = probe.bytesWritten
    let pressed = probe.type(key)
    let painted = probe.read(within: .seconds(5)) { _ in probe.bytesWritten > before }
    probe.readUntilQuiet(for: .milliseconds(30))
    return painted.map { $0 - pressed }
  }
}
