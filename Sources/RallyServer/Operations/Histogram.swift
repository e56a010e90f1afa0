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
