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

  mutating func sample(
    _ name: String, _ labels: KeyValuePairs<String, String>, _ value: Double
  ) {
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
