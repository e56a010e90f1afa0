import Glibc

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
