import Glibc

/// A country, or a territory listed separately. The data contains no statement about sovereignty.
public struct Country: Hashable, Sendable, Identifiable {
  /// Index in `WorldMap.countries()`.
  public let id: Int
  /// English name as of 2024: Eswatini, North Macedonia, Czechia, Türkiye.
  public let name: String
  /// ISO 3166-1 alpha-2 code in upper case; nil where there is none.
  public let isoCode: String?
  /// Whether its status is disputed. Show its name only, never a flag or an owner.
  public let isDisputed: Bool
  /// Label priority by area: 0 is most important, 255 least.
  public let rank: UInt8
  /// Position of the name: the widest open place in the country's largest area, in world units. Nil
  /// where the data has no area (a territory known only from cities).
  public let label: CountryLabel?
}

/// The position and room for a country's name, in world units.
public struct CountryLabel: Hashable, Sendable {
  public let x: UInt16
  public let y: UInt16
  /// Size of the largest area's bounding box; a wider name would overlap neighbours.
  public let width: UInt16
  public let height: UInt16

  public var worldPoint: WorldPoint { WorldPoint(unitX: Double(x), unitY: Double(y)) }
}

extension Country {
  private static let disputedFlag: UInt8 = 1
  private static let labelFlag: UInt8 = 2

  /// Decodes the country list: count, then per country its name, two-letter code (zeros for none),
  /// flags, rank and, if flagged, the label's position and extent.
  static func readAll(_ reader: inout ByteReader) throws(WorldMapError) -> [Country] {
    let count = try reader.count(bytesEach: 5)
    var countries: [Country] = []
    countries.reserveCapacity(count)
    for id in 0..<count {
      let name = try reader.text()
      let letters = [try reader.byte(), try reader.byte()]
      let flags = try reader.byte()
      let rank = try reader.byte()
      let label = flags & labelFlag == 0 ? nil : try CountryLabel(&reader)
      countries.append(
        Country(
          id: id, name: name,
          isoCode: letters[0] == 0 ? nil : String(decoding: letters, as: UTF8.self),
          isDisputed: flags & disputedFlag != 0, rank: rank, label: label))
    }
    return countries
  }
}

extension CountryLabel {
  fileprivate init(_ reader: inout ByteReader) throws(WorldMapError) {
    self.init(
      x: try reader.uint16(), y: try reader.uint16(), width: try reader.uint16(),
      height: try reader.uint16())
  }
}

extension WorldMap {
  /// The country that contains a point; nil at sea. Lakes belong to the country around them.
  ///
  /// Coasts are those of the finest level, accurate to about 2 km, without the smallest islands.
  /// For people, who may be in a harbour, pass a tolerance (5,000 m finds every capital).
  ///
  /// - Parameter tolerance: Metres. A point at sea within this distance of an outline belongs to
  ///   the nearest country, or else to the country of the nearest city within this distance.
  /// - Throws: `WorldMapError` when the world data is damaged.
  public func country(
    at point: GeoPoint, within tolerance: Double = 0
  ) throws(WorldMapError) -> Country? {
    let test = try hitTest()
    let point = point.normalized
    guard point.latitude.isFinite, point.longitude.isFinite else { return nil }
    let world = WorldPoint(point)
    let x = world.x * WorldUnits.span
    // South of the last row of vertices there is only Antarctica.
    let y = min(world.y * WorldUnits.span, WorldUnits.span - 0.5)
    if let index = test.country(x: x, y: y) { return try countries()[index] }
    guard tolerance > 0 else { return nil }
    let metresPerUnit =
      2 * .pi * GeoPoint.earthRadius / WorldUnits.span
      * max(cos(point.latitude * .pi / 180), 0.05)
    if let index = test.nearestCountry(x: x, y: y, radius: tolerance / metresPerUnit) {
      return try countries()[index]
    }
    return try nearestCity(to: point, within: tolerance)?.city.country
  }
}
