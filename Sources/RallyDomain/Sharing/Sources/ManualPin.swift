import RallyWire

/// A position that the user entered, and how long it holds.
public struct ManualPin: Hashable, Sendable, Codable {
  public var fix: LocationFix
  /// When it ends; nil if it holds until the device is seen to move.
  public var until: WireTime?
  /// What was measured when the pin was set; nil if nothing was.
  public var measured: LocationFix?
  /// Whether the device was seen to move, which ends a pin without a time for good.
  public var isLeft = false

  public init(_ fix: LocationFix, until: WireTime? = nil, measured: LocationFix? = nil) {
    self.fix = fix
    self.until = until
    self.measured = measured
  }

  /// Whether a measurement ends a pin without a time: it is newer, and the device is not any more
  /// where it was measured when the pin was set. If nothing was measured then, the pin is where it
  /// was.
  func isLeft(by fix: LocationFix) -> Bool {
    until == nil && fix.recordedAt > self.fix.recordedAt
      && Movement.isMovement(from: measured ?? self.fix, to: fix)
  }
}
