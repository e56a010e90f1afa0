import RallyWire

/// A position that the user entered, and how long it holds.
public struct ManualPin: Hashable, Sendable, Codable {
  public var fix: LocationFix
  /// When it ends; nil if it holds until the device is seen to move.
  public var until: WireTime?
  /// The device's place while the pin holds: what was measured when it was set, or else first
  /// afterwards; nil as long as nothing was.
  public var measured: LocationFix?
  /// Whether the device was seen to move, which ends a pin without a time for good.
  public var isLeft = false

  public init(_ fix: LocationFix, until: WireTime? = nil, measured: LocationFix? = nil) {
    self.fix = fix
    self.until = until
    self.measured = measured
  }

  /// Whether a measurement ends a pin without a time: it is newer, and the device is not any more
  /// where it was measured before.
  func isLeft(by fix: LocationFix) -> Bool {
    guard until == nil, fix.recordedAt > self.fix.recordedAt, let measured else { return false }
    return Movement.isMovement(from: measured, to: fix)
  }

  /// The pin with the measurement as the device's place, if there is none yet or a far less accurate
  /// one; else unchanged.
  func refined(by fix: LocationFix) -> ManualPin {
    guard until == nil, !isLeft, !isLeft(by: fix),
      measured.map({ FixFilter.isMoreAccurate(fix, than: $0) }) ?? true
    else { return self }
    var pin = self
    pin.measured = fix
    return pin
  }
}
