import Foundation
import RallyWire
import Synchronization

/// What a server counts of its work. Labels come from sets that its own code bounds: routes and
/// functions that exist, never what a client wrote.
final class ServerMetrics: Sendable {
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

  /// What is read at the moment of asking.
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
    /// Bytes; nil where the system does not tell.
    var residentBytes: Int?
    /// How often each budget was met.
    var budgetRefusals: [(budget: Budget, count: Int)] = []
  }

  private let state = Mutex(State())
  private let frames = Atomic(0)
  private let writes = Atomic(0)
  private let startedAt = WireTime.now

  // MARK: - Counting

  func didAnswer(_ route: String, status: Int, after duration: Duration) {
    let seconds =
      Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    state.withLock { state in
      state.answers[Answers(route: route, status: status), default: 0] += 1
      state.durations[route, default: Histogram()].add(seconds)
    }
  }

  func didSendFrame() { frames.add(1, ordering: .relaxed) }

  func didCommit() { writes.add(1, ordering: .relaxed) }

  /// - Parameter lag: From the newest change's time to its delivery, in seconds.
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
    text.add("rally_connections", .gauge, "Open connections.", Double(gauges.connections))
    text.add("rally_sockets", .gauge, "Open WebSockets.", Double(gauges.sockets))
    text.add("rally_channels", .gauge, "Joined channels.", Double(gauges.channels))
    text.add("rally_people_online", .gauge, "People who are present.", Double(gauges.people))
    text.add(
      "rally_writes_waiting", .gauge, "Writes that wait for the next commit.",
      Double(gauges.waitingWrites))
    text.add(
      "rally_hashes_waiting", .gauge, "Passwords that are or wait to be hashed.",
      Double(gauges.waitingHashes))
    text.begin(
      "rally_budget_refusals_total", .counter, "How often somebody met a budget, by its name.")
    for (budget, count) in gauges.budgetRefusals {
      text.sample("rally_budget_refusals_total", ["budget": budget.rawValue], Double(count))
    }
    if let bytes = gauges.databaseBytes {
      text.add("rally_database_bytes", .gauge, "The database with its log.", Double(bytes))
    }
    if let bytes = gauges.residentBytes {
      text.add("process_resident_memory_bytes", .gauge, "Memory in use.", Double(bytes))
    }
  }
}
