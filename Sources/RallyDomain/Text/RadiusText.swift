import RallyText
import RallyWire

/// Parses and formats radii: `500 m`, `2 km`, `1.5km`, `250`.
public enum RadiusText {
  /// Parses a radius; without a unit it is in metres.
  ///
  /// - Parameter allowed: In metres.
  /// - Returns: Metres.
  /// - Throws: `FieldProblem` that says what to type instead.
  public static func parse(
    _ text: String, field: FieldProblem.Field = .radius,
    allowed: ClosedRange<Double> = MissionRules.radii
  ) throws(FieldProblem) -> Double {
    let text = text.trimmed.lowercased()
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == ",") }
    let unit = text.dropFirst(digits.count).trimmed
    let scale: Double? =
      switch unit {
      case "", "m": 1
      case "km": 1000
      default: nil
      }
    guard let scale, let number = Double(digits.replacing(",", with: ".")), number.isFinite else {
      throw FieldProblem(field: field, advice: "Type a radius like 250, 500 m or 2 km.")
    }
    let metres = number * scale
    guard allowed.contains(metres) else {
      throw FieldProblem(
        field: field,
        advice: "Use a radius from \(Self.text(allowed.lowerBound)) "
          + "to \(Self.text(allowed.upperBound)).")
    }
    return metres
  }

  /// `500 m`, `2 km`, `1.5 km`: the shortest form that `parse` reads as the same value.
  public static func text(_ metres: Double) -> String {
    let kilometres = metres / 1000
    return metres >= 1000 && (kilometres * 1000) == metres
      ? "\(number(kilometres)) km" : "\(number(metres)) m"
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() ? "\(Int(value))" : "\(value)"
  }
}
