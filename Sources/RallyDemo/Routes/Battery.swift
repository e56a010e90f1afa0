/// A telephone that loses charge on the way.
public struct Battery: Hashable, Sendable {
  /// Percent at the beginning.
  public var charge: Double
  /// Percent an hour; a screen and a satellite receiver take about fifteen.
  public var drain: Double

  /// Below this its owner plugs it in.
  static let least = 4.0

  public func level(after elapsed: Duration) -> Double {
    max(charge - drain * elapsed.inSeconds / 3600, Self.least).rounded()
  }
}
