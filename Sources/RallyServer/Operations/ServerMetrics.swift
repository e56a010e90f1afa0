import Foundation
import HTTPTypes
import Hummingbird
import RallyRules
import RallyStorage
import RallyText
import RallyWire
import Synchronization

/// `/health` for everybody, and `/metrics` on the operator's listener.
struct OperationRoutes: Sendable {
  typealias Context = ServerRequestContext

  let readiness: Readiness
  let storage: Storage
  /// nil leaves the route out.
  let metrics: (@Sendable () async -> String)?

  func add(to router: Router<Context>) {
    router.get("health") { _, _ in try await health() }
    // A server that responds is alive.
    router.get("health/alive") { _, _ in try Response.json(["status": "alive"]) }
    guard let metrics else { return }
    router.get("metrics") { _, _ in
      Response(
        status: .ok, headers: [.contentType: MetricsText.contentType],
        body: .init(byteBuffer: ByteBuffer(string: await metrics())))
    }
  }

  /// 200 while requests are accepted and the database responds and can be changed, 503 otherwise.
  private func health() async throws -> Response {
    guard readiness.isReady else {
      return try .json(["status": "ending"], status: .serviceUnavailable)
    }
    let status =
      switch try? await storage.read({ try $0.isReadOnly() }) {
      case nil: "no database"
      case true?: "read-only database"
      case false?: "ready"
      }
    return try .json(["status": status], status: status == "ready" ? .ok : .serviceUnavailable)
  }
}

/// Whether new requests are accepted; false once shutdown has begun.
final class Readiness: Sendable {
  private let isEnding = Atomic(false)

  var isReady: Bool { !isEnding.load(ordering: .relaxed) }

  func end() { isEnding.store(true, ordering: .relaxed) }
}

/// The server's counters. Label values are bounded: existing routes and functions, never input of a
/// client.
package final class ServerMetrics: Sendable {
  private struct Answers: Hashable {
    var route: String
    var status: Int
  }

  private struct State {
    var answers: [Answers: Int] = [:]
    var durations: [String: Histogram] = [:]
    var feedLag = Histogram()
    var feedEntries = 0
  }

  /// Values that are read when metrics are requested.
  struct Gauges: Sendable {
    var isReady: Bool
    var connections: Int
    var sockets: Int
    var channels: Int
    var people: Int
    var waitingWrites: Int
    var waitingHashes: Int
    /// Bytes of the database with its log; nil in memory.
    var databaseBytes: Int?
    /// Bytes; nil if unknown.
    var residentBytes: Int?
    var budgetRefusals: [(budget: Budget, count: Int)] = []
  }

  private let state = Mutex(State())
  private let frames = Atomic(0)
  private let writes = Atomic(0)
  private let startedAt = WireTime.now

  // MARK: - Counting

  func didAnswer(_ route: String, status: Int, after duration: Duration) {
    state.withLock { state in
      state.answers[Answers(route: route, status: status), default: 0] += 1
      state.durations[route, default: Histogram()].add(duration.inSeconds)
    }
  }

  func didSendFrame() { frames.add(1, ordering: .relaxed) }

  func didCommit() { writes.add(1, ordering: .relaxed) }

  /// - Parameter lag: Seconds from the newest change to its delivery.
  func didFeed(entries: Int, lag: Double) {
    state.withLock { state in
      state.feedEntries += entries
      state.feedLag.add(max(0, lag))
    }
  }

  // MARK: - Telling

  func text(_ gauges: Gauges) -> String {
    let state = state.withLock { $0 }
    var text = MetricsText()
    text.add("rally_ready", .gauge, "1 while new requests are welcome.", gauges.isReady ? 1 : 0)
    text.begin("rally_build_info", .gauge, "The version that runs.")
    text.sample("rally_build_info", ["version": RallyVersion.current], 1)
    text.add(
      "rally_start_time_seconds", .gauge, "When the server started, in seconds since 1970.",
      Double(startedAt.microseconds / 1_000_000))
    text.begin("rally_requests_total", .counter, "Answered requests.")
    for (answers, count) in state.answers.sorted(by: {
      ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status)
    }) {
      text.sample(
        "rally_requests_total", ["route": answers.route, "status": String(answers.status)],
        Double(count))
    }
    text.begin("rally_request_seconds", .histogram, "From a request's head to its answer.")
    for (route, histogram) in state.durations.sorted(by: { $0.key < $1.key }) {
      text.samples("rally_request_seconds", ("route", route), histogram)
    }
    text.add(
      "rally_frames_sent_total", .counter, "Text frames written to sockets.",
      Double(frames.load(ordering: .relaxed)))
    text.add(
      "rally_commits_total", .counter, "Commits of the database.",
      Double(writes.load(ordering: .relaxed)))
    text.add(
      "rally_feed_entries_total", .counter, "Changes that the feed has read.",
      Double(state.feedEntries))
    text.begin(
      "rally_feed_lag_seconds", .histogram, "From the newest change of a turn to its delivery.")
    text.samples("rally_feed_lag_seconds", ("feed", "changes"), state.feedLag)
    add(gauges, to: &text)
    return text.text
  }

  private func add(_ gauges: Gauges, to text: inout MetricsText) {
    let values: [(name: String, help: String, value: Int?)] = [
      ("rally_connections", "Open connections.", gauges.connections),
      ("rally_sockets", "Open WebSockets.", gauges.sockets),
      ("rally_channels", "Joined channels.", gauges.channels),
      ("rally_people_online", "People who are present.", gauges.people),
      ("rally_writes_waiting", "Writes that wait for the next commit.", gauges.waitingWrites),
      ("rally_hashes_waiting", "Passwords that are or wait to be hashed.", gauges.waitingHashes),
      ("rally_database_bytes", "The database with its log.", gauges.databaseBytes),
      ("process_resident_memory_bytes", "Memory in use.", gauges.residentBytes),
    ]
    for case (let name, let help, let value?) in values {
      text.add(name, .gauge, help, Double(value))
    }
    text.begin(
      "rally_budget_refusals_total", .counter, "How often somebody met a budget, by its name.")
    for (budget, count) in gauges.budgetRefusals {
      text.sample("rally_budget_refusals_total", ["budget": budget.rawValue], Double(count))
    }
  }
}

/// Durations in Prometheus's cumulative buckets.
struct Histogram: Hashable, Sendable {
  /// Upper bounds in seconds; longer durations only count in the total.
  static let limits: [Double] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  /// The number of durations up to each limit.
  private(set) var counts = Array(repeating: 0, count: limits.count)
  private(set) var count = 0
  /// Seconds.
  private(set) var sum = 0.0

  mutating func add(_ seconds: Double) {
    count += 1
    sum += seconds
    for (index, limit) in Histogram.limits.enumerated() where seconds <= limit {
      counts[index] += 1
    }
  }
}

/// Prometheus's text format, version 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats).
struct MetricsText {
  enum Kind: String {
    case counter, gauge, histogram
  }

  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private(set) var text = ""

  /// Begins a metric; its samples follow.
  mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  mutating func sample(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: Double) {
    let list = labels.map { "\($0.key)=\"\(MetricsText.escaped($0.value))\"" }
      .joined(separator: ",")
    text += list.isEmpty ? name : "\(name){\(list)}"
    text += " \(MetricsText.number(value))\n"
  }

  /// A metric with a single sample.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    begin(name, kind, help)
    sample(name, [:], value)
  }

  mutating func samples(_ name: String, _ label: (String, String), _ histogram: Histogram) {
    for (limit, count) in zip(Histogram.limits, histogram.counts) {
      sample("\(name)_bucket", [label.0: label.1, "le": MetricsText.number(limit)], Double(count))
    }
    sample("\(name)_bucket", [label.0: label.1, "le": "+Inf"], Double(histogram.count))
    sample("\(name)_sum", [label.0: label.1], histogram.sum)
    sample("\(name)_count", [label.0: label.1], Double(histogram.count))
  }

  private static func number(_ value: Double) -> String {
    if let whole = Int64(exactly: value) { return String(whole) }
    return String(value)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}

/// Memory and file sizes of this process.
enum ProcessFacts {
  /// Bytes of memory in use; nil where the kernel has no such file.
  static var residentBytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
      let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Total bytes of the files that exist.
  static func size(of files: [String]) -> Int {
    files.reduce(0) { sum, file in
      let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
      return sum + (size ?? 0)
    }
  }
}
