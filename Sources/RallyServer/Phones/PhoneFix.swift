import Foundation
import RallyRules
import RallyText
import RallyWire

/// A position as an app on a phone sent it.
package struct PhoneFix: Hashable, Sendable {
  /// How far ahead of the server's clock a phone's clock may be.
  static let clockSkew = Duration.seconds(300)
  /// What is older is no position of this phone but a wrong clock.
  static let longestAge = Duration.seconds(30 * 86_400)

  var latitude: Double?
  var longitude: Double?
  /// Metres.
  var accuracyMetres: Double?
  /// Metres a second.
  var speed: Double?
  /// Degrees clockwise from north.
  var course: Double?
  /// Percent.
  var battery: Double?
  /// By the phone's clock.
  var recordedAt: WireTime?
  /// Whether the phone has measured where it is. The place of others is what it guessed last, or
  /// none at all.
  var isMeasured: Bool

  /// Details out of their range are left out: apps send -1 for what they do not have. An accuracy
  /// below 0 says that the place is invalid, as iOS has it (`CLLocation.horizontalAccuracy`).
  ///
  /// - Parameter isValid: Whether the app says that its receiver has a fix.
  package init(
    latitude: Double?, longitude: Double?, accuracyMetres: Double? = nil, speed: Double? = nil,
    course: Double? = nil, battery: Double? = nil, recordedAt: WireTime?,
    isValid: Bool = true
  ) {
    func within(_ value: Double?, _ range: ClosedRange<Double>) -> Double? {
      value.flatMap { range.contains($0) ? $0 : nil }
    }
    self.latitude = latitude
    self.longitude = longitude
    self.accuracyMetres = within(accuracyMetres, 0...10_000_000)
    self.speed = within(speed, 0...100_000)
    self.course = within(course, 0...360).map { $0 == 360 ? 0 : $0 }
    self.battery = within(battery, 0...100)
    self.recordedAt = recordedAt
    isMeasured = isValid && accuracyMetres ?? 0 >= 0
  }

  /// The report for the server, and when the phone says that it was measured.
  struct Taken: Hashable, Sendable {
    var report: LocationReport
    var measuredAt: WireTime
  }

  /// A sentence for the phone's owner, without any number of the position.
  struct Problem: Error, Hashable, Sendable {
    var sentence: String

    /// It is over with the next position that was measured.
    static let noFix = Problem(sentence: "The phone has no fix: it does not know where it is.")
  }

  /// The fix as a report. Where the phone's clock is a little ahead, it is of this moment.
  ///
  /// - Throws: `Problem` for one that can never be taken.
  func taken(from app: PhoneApp, at now: WireTime) throws(Problem) -> Taken {
    guard let latitude, let longitude else {
      guard isMeasured else { throw .noFix }
      throw Problem(sentence: "The app sent a position without latitude and longitude.")
    }
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw Problem(sentence: "The app sent a position that is not on the globe.")
    }
    guard isMeasured, !place.isUnmeasured else { throw .noFix }
    guard let recordedAt else {
      throw Problem(sentence: "The app sent a position without its time.")
    }
    let ahead = recordedAt.since(now)
    guard ahead <= PhoneFix.clockSkew else {
      throw Problem(sentence: "The phone's clock is \(PhoneFix.text(of: ahead)) ahead.")
    }
    guard ahead >= .zero - PhoneFix.longestAge else {
      throw Problem(
        sentence: "The app sent a position of \(recordedAt.description.prefix(10));"
          + " check the phone's clock.")
    }
    return Taken(
      report: LocationReport(
        coordinate: place, accuracyMetres: accuracyMetres, speed: speed, course: course,
        battery: battery, recordedAt: min(recordedAt, now), source: app.rawValue),
      measuredAt: recordedAt)
  }

  private static func text(of duration: Duration) -> String {
    let minutes = duration.components.seconds / 60
    return switch minutes {
    case ..<60: "\(minutes) min"
    case ..<2880: "\(minutes / 60) h"
    default: "\(minutes / 1440) days"
    }
  }
}

/// Times in the forms in which apps write them.
enum PhoneTime {
  /// - Parameter seconds: Since 1970.
  /// - Returns: nil for what is no time within some thousand years.
  static func time(seconds: Double?) -> WireTime? {
    guard let seconds, seconds.isFinite, abs(seconds) < 1e11 else { return nil }
    return WireTime(microseconds: Int64((seconds * 1_000_000).rounded()))
  }

  /// Seconds or milliseconds since 1970, RFC 3339, or `yyyy-MM-dd HH:mm:ss` in UTC.
  static func time(_ text: String) -> WireTime? {
    if let number = Double(text) {
      // Traccar's rule: what is no 32-bit number of seconds is in milliseconds.
      return time(seconds: abs(number) < 2_147_483_647 ? number : number / 1000)
    }
    return WireTime(text) ?? WireTime(text + "Z")
  }
}

/// Members of an object as apps write them.
extension JSONValue {
  /// A number, also one that stands there as text; nil for anything else.
  var looseNumber: Double? {
    let number: Double? =
      switch self {
      case .integer(let value): Double(value)
      case .number(let value): value
      case .string(let text): Double(text)
      case .null, .bool, .array, .object: nil
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }

  /// nil for a missing value and for one of a wrong type.
  func number(_ key: String) -> Double? { self[key]?.looseNumber }

  /// nil for a missing value and for one of a wrong type.
  func text(_ key: String) -> String? { self[key]?.string }
}
