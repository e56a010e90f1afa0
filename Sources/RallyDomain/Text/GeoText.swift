import Glibc
import RallyText
import RallyWire

/// Formats distances, directions and speeds for lists.
public enum GeoText {
  /// `here`, `140 m`, `2.3 km`, `48 km`, `9,130 km`.
  ///
  /// - Parameter metres: Not negative.
  public static func distance(_ metres: Double) -> String {
    guard metres.isFinite, metres >= 0 else { return "?" }
    if metres < 10 { return "here" }
    // Round first, so that 999 m does not become "1000 m".
    let tens = (metres / 10).rounded() * 10
    if tens < 1000 { return "\(Int(tens)) m" }
    let tenths = (metres / 100).rounded() / 10
    if tenths < 10 { return "\(tenths.text(decimals: 1)) km" }
    return "\(grouped(Int((metres / 1000).rounded()))) km"
  }

  /// How far away something is whose place is known to some metres: `within 10 km` where that is
  /// all that can be said, `about 20 km`, `140 m`. No digit is finer than what is known.
  ///
  /// - Parameters:
  ///   - metres: To the middle of where it may be; not negative.
  ///   - uncertainty: The radius around that middle, metres; 0 for a place that is known.
  public static func distance(_ metres: Double, uncertainty: Double) -> String {
    guard metres.isFinite, metres >= 0 else { return "?" }
    guard uncertainty > 0, uncertainty.isFinite else { return distance(metres) }
    let unit = unit(uncertainty)
    if metres <= uncertainty {
      return "within \(wholeDistance(((metres + uncertainty) / unit).rounded(.up) * unit))"
    }
    let rounded = max(unit, (metres / unit).rounded() * unit)
    return unit > 10 ? "about \(wholeDistance(rounded))" : distance(rounded)
  }

  /// The distance as a number, no finer than what is known.
  public static func rounded(_ metres: Double, uncertainty: Double) -> Double {
    let unit = max(1, unit(uncertainty))
    return (metres / unit).rounded() * unit
  }

  /// Whether a direction is certain enough: one of eight winds needs twice the uncertainty.
  public static func isDirected(_ metres: Double, uncertainty: Double) -> Bool {
    metres >= 10 && metres > 2 * uncertainty
  }

  /// The step in which a distance is written: the power of ten within the width of what is open.
  private static func unit(_ uncertainty: Double) -> Double {
    uncertainty > 0.5 ? pow(10, log10(2 * uncertainty).rounded(.down)) : 1
  }

  /// Without a decimal that would claim more: `2 km`.
  public static func wholeDistance(_ metres: Double) -> String {
    let text = distance(metres)
    return text.hasSuffix(".0 km") ? "\(text.dropLast(5)) km" : text
  }

  /// One of eight winds: `N`, `NE`, …
  ///
  /// - Parameter degrees: Clockwise from north.
  public static func compass(_ degrees: Double) -> String { winds[wind(degrees)].short }

  /// One of eight compass points in full: `north-east`.
  ///
  /// - Parameter degrees: Clockwise from north.
  public static func direction(_ degrees: Double) -> String { winds[wind(degrees)].long }

  /// `walking 4 km/h`, `moving 80 km/h`; nil below 0.5 m/s, which a receiver cannot distinguish
  /// from standing still.
  ///
  /// - Parameter metresPerSecond: Not negative.
  public static func speed(_ metresPerSecond: Double) -> String? {
    guard metresPerSecond.isFinite, metresPerSecond >= 0.5 else { return nil }
    let kilometres = metresPerSecond * 3.6
    let word =
      switch kilometres {
      case ..<7: "walking"
      case ..<15: "running"
      case ..<250: "moving"
      default: "flying"
      }
    return "\(word) \(grouped(Int(max(1, kilometres.rounded())))) km/h"
  }

  private static let winds = [
    ("N", "north"), ("NE", "north-east"), ("E", "east"), ("SE", "south-east"), ("S", "south"),
    ("SW", "south-west"), ("W", "west"), ("NW", "north-west"),
  ].map { (short: $0.0, long: $0.1) }

  private static func wind(_ degrees: Double) -> Int {
    guard degrees.isFinite else { return 0 }
    let turn = degrees.truncatingRemainder(dividingBy: 360)
    return Int(((turn < 0 ? turn + 360 : turn) / 45).rounded()) % 8
  }

  /// With commas between thousands, as in the whole interface.
  private static func grouped(_ number: Int) -> String {
    var digits = String(number)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
  }
}

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
