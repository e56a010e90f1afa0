import Foundation
import RallyWire

/// What operations cost on the machine that was measured, as `scale-tables` reads it.
struct UnitCosts: Codable {
  struct Operation: Codable {
    /// Processor time of all servers in ms; so is `postgres`.
    var servers: Double
    var postgres: Double
    /// Rows that PostgreSQL read and wrote.
    var read: Double?
    var written: Double?
    /// The size of the answer.
    var bytes: Double?

    /// The processor time between two looks, shared by what was done meanwhile.
    init(from before: ClusterFigures, to after: ClusterFigures, each count: Int) {
      servers = (after.servers - before.servers).milliseconds / Double(count)
      postgres = (after.postgres - before.postgres).milliseconds / Double(count)
    }
  }

  /// A message that sockets of its whole group hear, on three servers.
  static let told = "say_in_mission, told to \(ClusterGroup.size) sockets"

  /// By function of the wire, or by what happens.
  var operations: [String: Operation] = [:]
  /// Memory of one socket with a subscription.
  var socketKilobytes = 0.0
  /// From a change until the sockets on all servers have it, median, nearly idle.
  var feedMilliseconds = 0.0
  /// With servers, PostgreSQL and load on two cores, by the number of servers.
  var changesPerSecond: [String: Int] = [:]

  func add(to table: inout ResultTable) {
    for (name, cost) in operations.sorted(by: { $0.key < $1.key }) {
      table.add(name, "processor of servers", cost.servers, "ms")
      table.add(name, "processor of PostgreSQL", cost.postgres, "ms")
      if let read = cost.read { table.add(name, "rows read", read, "") }
      if let written = cost.written { table.add(name, "rows written", written, "") }
      if let bytes = cost.bytes { table.add(name, "answer", bytes, "B") }
    }
  }

  /// Writes them as JSON, rounded to four places, in a stable order.
  func write(to file: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(rounded()).write(to: URL(fileURLWithPath: file))
  }

  private func rounded() -> UnitCosts {
    func short(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
    var costs = self
    costs.socketKilobytes = short(socketKilobytes)
    costs.feedMilliseconds = short(feedMilliseconds)
    costs.operations = operations.mapValues { cost in
      var cost = cost
      (cost.servers, cost.postgres) = (short(cost.servers), short(cost.postgres))
      (cost.read, cost.written) = (cost.read.map(short), cost.written.map(short))
      cost.bytes = cost.bytes.map(short)
      return cost
    }
    return costs
  }
}
