import RallySystem
import RallyWire

/// A parsed position command: `Lisbon`, `38.72,-9.14 for 2h`.
public struct HereRequest: Hashable, Sendable {
  /// A city, a street or coordinates.
  public var place: String
  /// How long it holds; nil if it holds until the device moves.
  public var duration: Duration?
  /// The same as typed, such as `2h`.
  public var end: String?

  /// - Throws: `FieldProblem` if ` for ` is followed by no duration.
  public init(_ text: String) throws(FieldProblem) {
    place = text
    let words = text.split(separator: " ")
    // A place whose name ends like this is still found by its coordinates.
    guard words.count > 2, words[words.count - 2].lowercased() == "for",
      let last = words.last, last.first?.isNumber == true
    else { return }
    place = words.dropLast(2).joined(separator: " ")
    duration = try ShareTime.duration(typed: String(last))
    end = last.lowercased()
  }
}

/// Places whose names only begin with what was typed: a person chooses one of them.
public struct HereChoice: Hashable, Sendable {
  static let limit = 8

  public let request: HereRequest
  public let places: [Place]
}

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
