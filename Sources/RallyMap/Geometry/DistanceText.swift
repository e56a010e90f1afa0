import Glibc

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

/// A scale bar with a round length: 1, 2 or 5 times a power of ten metres.
public struct ScaleBar: Hashable, Sendable {
  /// Width in cells, rounded.
  public var cells: Int
  /// The length that the bar represents at the latitude of the view's centre.
  public var metres: Double
  /// The length as text: "200 m", "4000 km".
  public var label: String
}

extension Viewport {
  /// The longest round bar of at most `maximumCells`; nil when 1 m does not fit.
  public func scaleBar(maximumCells: Int) -> ScaleBar? {
    let longest = Double(maximumCells) * 2 * metresPerDot
    guard longest >= 1, longest.isFinite else { return nil }
    let decade = pow(10, log10(longest).rounded(.down))
    let metres = [5, 2, 1].map { $0 * decade }.first { $0 <= longest * (1 + 1e-9) } ?? decade
    let cells = min(max(Int((metres / (2 * metresPerDot)).rounded()), 1), maximumCells)
    let isKilometres = metres >= 1000
    let number = Int((isKilometres ? metres / 1000 : metres).rounded())
    return ScaleBar(cells: cells, metres: metres, label: "\(number) \(isKilometres ? "km" : "m")")
  }
}
