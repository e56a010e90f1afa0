/// A distance as short text: "90 m", "1.4 km", "5400 km".
public struct DistanceText: CustomStringConvertible, Hashable, Sendable {
  public let description: String

  /// - Parameter metres: Rounded to 1 m below 100 m, 10 m below 1 km, 100 m below 10 km, 1 km below
  ///   100 km, else 10 km. Negative or non-finite values give "?".
  public init(metres: Double) {
    if !metres.isFinite || metres < 0 {
      description = "?"
    } else if metres < 99.5 {
      description = "\(Int(metres.rounded())) m"
    } else if metres < 995 {
      description = "\(Int((metres / 10).rounded()) * 10) m"
    } else if metres < 9950 {
      let tenths = Int((metres / 100).rounded())
      description = tenths % 10 == 0 ? "\(tenths / 10) km" : "\(tenths / 10).\(tenths % 10) km"
    } else if metres < 99_500 {
      description = "\(Int((metres / 1000).rounded())) km"
    } else {
      description = "\(Int((metres / 10_000).rounded()) * 10) km"
    }
  }
}
