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
