import RallySystem
import RallyText
import RallyWire

/// Reads when a mission that repeats ends.
public enum RepeatText {
  /// `2026-12-22`: the last day on which a series may take place; nil for no end.
  package static func lastDay(of series: MissionSeries) -> String? {
    series.until.map { day($0, series.zone) }
  }

  private static func day(_ time: WireTime, _ zone: LocalTimeZone) -> String {
    String(zone.local(time).description.prefix(10))
  }

  /// Reads the end of a series: a day, as in `2026-12-22` or `friday`, or `8 times`; nil for an empty
  /// text.
  ///
  /// - Parameter series: Its first occurrence and its rule, by which times are counted.
  /// - Throws: `FieldProblem` that says what to type instead.
  public static func until(
    _ text: String, of series: MissionSeries, now: WireTime
  ) throws(FieldProblem) -> WireTime? {
    let text = text.trimmed.lowercased()
    if text.isEmpty { return nil }
    let until: WireTime
    if let count = try count(text) {
      until = series.start(number: count - 1)
    } else {
      guard let end = WhenText(timeZone: series.zone, now: now).end(ofDay: text) else {
        throw problem("Type a day like 2026-12-22, or 8 times.")
      }
      until = end.advanced(by: .seconds(-1))
    }
    guard until >= series.startsAt else { throw problem("It ends before it starts.") }
    guard until.since(series.startsAt) <= MissionSeries.longest else {
      throw problem("A mission repeats for at most ten years; or leave this empty.")
    }
    return until
  }

  /// `8 times`, `8x`; nil for other text.
  private static func count(_ text: String) throws(FieldProblem) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard ["times", "time", "x"].contains(text.dropFirst(digits.count).trimmed) else { return nil }
    guard let count = Int(digits), (2...1000).contains(count) else {
      throw problem("Type 2 times to 1000 times, or a day.")
    }
    return count
  }

  private static func problem(_ advice: String) -> FieldProblem {
    FieldProblem(field: .until, advice: advice)
  }
}
