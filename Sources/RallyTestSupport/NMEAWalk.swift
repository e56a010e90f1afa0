import Foundation
import RallyWire

/// A recording of a receiver that is carried along a meridian to a place and then stays there, as
/// NMEA 0183 sentences: one RMC and one GGA a second.
public struct NMEAWalk {
  public let sentences: [String]

  /// - Parameters:
  ///   - place: Where the walk ends.
  ///   - metres: The length of the walk, from the south.
  ///   - speed: Metres a second.
  ///   - rest: Seconds at the place.
  public init(to place: Coordinate, metres: Double, speed: Double, rest: Int) {
    let steps = Int(metres / speed)
    sentences = (0..<steps + rest).flatMap { step -> [String] in
      let left = max(0, metres - Double(step) * speed)
      let latitude = place.latitude - left / Self.metresPerDegree
      let time = String(format: "12%02d%02d.00", step / 60 % 60, step % 60)
      let position =
        Self.angle(latitude, digits: 2, "NS") + "," + Self.angle(place.longitude, digits: 3, "EW")
      let knots = String(format: "%.1f", left > 0 ? speed * 1.943844 : 0)
      return [
        Self.sentence("GPRMC,\(time),A,\(position),\(knots),000.0,221126,,,A"),
        Self.sentence("GPGGA,\(time),\(position),1,08,0.9,12.0,M,46.9,M,,"),
      ]
    }
  }

  /// Writes the recording as gpsfake reads it.
  public func write(to path: String) throws {
    try Data(sentences.joined().utf8).write(to: URL(filePath: path))
  }

  /// Along a meridian of the sphere of 6,371 km.
  private static let metresPerDegree = 111_195.0

  /// Degrees and minutes, `ddmm.mmmmm`, and the half of the globe.
  private static func angle(_ degrees: Double, digits: Int, _ halves: String) -> String {
    let size = abs(degrees)
    let whole = Int(size)
    let half = degrees < 0 ? halves.last : halves.first
    return String(format: "%0\(digits)d%08.5f", whole, (size - Double(whole)) * 60)
      + ",\(half.map(String.init) ?? "")"
  }

  /// With the exclusive or of its bytes as checksum.
  private static func sentence(_ body: String) -> String {
    String(format: "$\(body)*%02X\r\n", body.utf8.reduce(0, ^))
  }
}
