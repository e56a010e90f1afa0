import Foundation

/// The measured values and their targets.
struct ResultTable: CustomStringConvertible {
  struct Row {
    var subject: String
    var what: String
    var value: Double
    var unit: String
    /// The largest acceptable value; nil for rows that only compare.
    var target: Double?
  }

  private(set) var rows: [Row] = []

  mutating func add(
    _ subject: String, _ what: String, _ value: Double?, _ unit: String, target: Double? = nil
  ) {
    rows.append(
      Row(subject: subject, what: what, value: value ?? .nan, unit: unit, target: target))
  }

  mutating func add(
    _ subject: String, _ what: String, _ value: Duration?, target: Double? = nil
  ) {
    add(subject, what, value?.milliseconds, "ms", target: target)
  }

  var isWithinTargets: Bool {
    rows.allSatisfy { row in row.target.map { row.value <= $0 } ?? true }
  }

  var description: String {
    let header = ["program", "what", "value", "target", ""]
    let cells = rows.map { row in
      [
        row.subject, row.what,
        row.value.isNaN ? "not seen" : "\(Self.text(row.value)) \(row.unit)",
        row.target.map { "≤ \(Self.text($0)) \(row.unit)" } ?? "",
        row.target.map { row.value <= $0 ? "ok" : "over" } ?? "",
      ]
    }
    let widths = header.indices.map { column in
      ([header] + cells).map { $0[column].count }.max() ?? 0
    }
    let lines = ([header, widths.map { String(repeating: "-", count: $0) }] + cells).map { line in
      zip(line, widths).enumerated().map { column, pair in
        let padding = String(repeating: " ", count: pair.1 - pair.0.count)
        return column == 2 || column == 3 ? padding + pair.0 : pair.0 + padding
      }.joined(separator: "  ")
    }
    return lines.joined(separator: "\n")
  }

  private static func text(_ value: Double) -> String {
    value == value.rounded()
      ? String(Int(value)) : String(format: value < 10 ? "%.2f" : "%.1f", value)
  }
}

extension Duration {
  var milliseconds: Double {
    Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15
  }
}

/// Measured durations, for quantiles.
struct Sample {
  private(set) var values: [Duration] = []

  mutating func add(_ value: Duration) { values.append(value) }

  /// A quantile by the nearest-rank method; nil without values.
  ///
  /// - Parameter share: 0...1.
  func quantile(_ share: Double) -> Duration? {
    guard !values.isEmpty else { return nil }
    let rank = Int((share * Double(values.count)).rounded(.up))
    return values.sorted()[min(max(rank, 1), values.count) - 1]
  }
}
