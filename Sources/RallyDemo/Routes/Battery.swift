import RallyText

/// A phone battery that drains at a constant rate.
public struct Battery: Hashable, Sendable {
  /// Percent at the start of the demo.
  public var charge: Double
  /// Percent per hour; a phone with its screen and GPS on uses about 15.
  public var drain: Double

  /// Lower bound in percent: the level never falls below it.
  static let least = 4.0

  /// The level in whole percent.
  public func level(after elapsed: Duration) -> Double {
    max(charge - drain * elapsed.inSeconds / 3600, Self.least).rounded()
  }
}
