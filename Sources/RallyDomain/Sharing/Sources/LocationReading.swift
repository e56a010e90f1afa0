import RallyWire

/// The state and the last fix of one source.
public struct LocationReading: Hashable, Sendable {
  public var source: String
  public var state = LocationSourceState.notAsked
  public var fix: LocationFix?
  /// When the fix arrived, by this machine's clock; a receiver's clock may be wrong.
  public var arrivedAt: WireTime?
  /// How long a fix counts after it arrived.
  public var lifetime: Duration

  public init(source: String, lifetime: Duration = .seconds(600)) {
    self.source = source
    self.lifetime = lifetime
  }

  /// When its fix stops to count; nil without one, or while the source does not measure.
  var freshUntil: WireTime? {
    guard state.isMeasuring, fix != nil else { return nil }
    return arrivedAt?.advanced(by: lifetime)
  }

  /// The fix if it counts now.
  func freshFix(at now: WireTime) -> LocationFix? {
    guard let freshUntil, now < freshUntil else { return nil }
    return fix
  }
}
