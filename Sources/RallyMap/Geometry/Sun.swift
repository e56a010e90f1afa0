import FoundationEssentials
import Glibc

/// The sun's position at a time, within 0.01° between 1950 and 2050 (Astronomical Almanac,
/// low-precision formulas).
public struct Sun: Hashable, Sendable {
  /// The point where the sun is at the zenith.
  public let subsolarPoint: GeoPoint

  public init(at date: Date) {
    // Days since J2000.0 (2000-01-01 12:00); the Unix epoch is Julian day 2440587.5.
    let n = date.timeIntervalSince1970 / 86_400 + 2_440_587.5 - 2_451_545
    let radians = Double.pi / 180
    let anomaly = (357.528 + 0.985_600_3 * n) * radians
    let longitude =
      (280.460 + 0.985_647_4 * n + 1.915 * sin(anomaly) + 0.020 * sin(2 * anomaly)) * radians
    let obliquity = (23.439 - 4e-7 * n) * radians
    let declination = asin(sin(obliquity) * sin(longitude))
    let ascension = atan2(cos(obliquity) * sin(longitude), cos(longitude))
    let sidereal = 280.460_618_37 + 360.985_647_366_29 * n
    subsolarPoint =
      GeoPoint(
        latitude: declination / radians, longitude: ascension / radians - sidereal
      ).normalized
  }

  /// Altitude of the sun's centre over the horizon in degrees, -90...90, without refraction.
  public func altitude(at point: GeoPoint) -> Double {
    let sine =
      sin(point.phi) * sin(subsolarPoint.phi)
      + cos(point.phi) * cos(subsolarPoint.phi) * cos(point.lambda - subsolarPoint.lambda)
    return asin(min(max(sine, -1), 1)) * 180 / .pi
  }

  /// Altitude of the sun's centre at sunrise and sunset in degrees: upper limb on the horizon, with
  /// refraction.
  static let settingAltitude = -0.833

  /// Altitude at the end of astronomical twilight in degrees: from there on it is as dark as it
  /// becomes.
  static let nightAltitude = -18.0

  /// Whether the sun has set.
  public func isNight(at point: GeoPoint) -> Bool { altitude(at: point) < Self.settingAltitude }
}
