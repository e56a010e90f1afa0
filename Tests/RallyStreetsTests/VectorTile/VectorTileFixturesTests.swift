import Testing

@testable import RallyStreets

/// The fixtures of mapbox/mvt-fixtures, each treated as its list says.
@Suite struct VectorTileFixturesTests {
  enum Treatment: Equatable {
    /// All features are read.
    case decoded(features: Int)
    /// The features that are damaged are left out; so many remain.
    case recovered(features: Int)
    case refused(Refusal)
  }

  enum Refusal {
    case wrongWireType, unknownVersion, unknownValue, unnamedLayer, missingProperty
    case impossibleGeometry
  }

  /// Every fixture of the folder, by number.
  private static let treatments: [String: Treatment] = [
    "001": .decoded(features: 0),
    "002": .decoded(features: 1),
    "003": .recovered(features: 0),
    "004": .recovered(features: 0),
    "005": .recovered(features: 0),
    "006": .recovered(features: 0),
    "007": .refused(.wrongWireType),
    "008": .refused(.wrongWireType),
    "009": .decoded(features: 1),
    "010": .refused(.wrongWireType),
    "011": .refused(.unknownValue),
    "012": .refused(.unknownVersion),
    "013": .refused(.wrongWireType),
    "014": .refused(.unnamedLayer),
    // Two layers of one name: the first counts.
    "015": .recovered(features: 1),
    // The list leaves open whether features of unknown type are used: they are left out.
    "016": .recovered(features: 0),
    "017": .decoded(features: 1),
    "018": .decoded(features: 1),
    "019": .decoded(features: 1),
    "020": .decoded(features: 1),
    "021": .decoded(features: 1),
    "022": .decoded(features: 1),
    "023": .refused(.unnamedLayer),
    // No version: the list says fatal, although 1 is the default of the field.
    "024": .refused(.unknownVersion),
    "025": .decoded(features: 0),
    "026": .refused(.unknownValue),
    "027": .decoded(features: 1),
    "030": .recovered(features: 0),
    "032": .decoded(features: 1),
    "033": .decoded(features: 1),
    "034": .decoded(features: 1),
    "035": .decoded(features: 1),
    "036": .decoded(features: 1),
    "037": .decoded(features: 1),
    "038": .decoded(features: 1),
    // Its geometry type is UNKNOWN, written out: valid, and left out as 016.
    "039": .decoded(features: 0),
    "040": .refused(.missingProperty),
    "041": .refused(.missingProperty),
    "042": .refused(.missingProperty),
    "043": .decoded(features: 6),
    "044": .refused(.impossibleGeometry),
    // The list has no advice; refused, as the same fault is in 052.
    "045": .refused(.impossibleGeometry),
    // A line with a point twice: kept here, and the point dropped by `GroundTile`.
    "046": .recovered(features: 1),
    "047": .refused(.impossibleGeometry),
    "048": .refused(.impossibleGeometry),
    "049": .decoded(features: 1),
    "050": .decoded(features: 1),
    "051": .refused(.impossibleGeometry),
    "052": .refused(.impossibleGeometry),
    "053": .decoded(features: 1),
    "054": .decoded(features: 1),
    "055": .decoded(features: 1),
    "056": .decoded(features: 1),
    // The list contradicts itself: the same commands as in 051, called valid here and fatal there.
    "057": .refused(.impossibleGeometry),
    "058": .refused(.impossibleGeometry),
    "059": .decoded(features: 1),
    "060": .decoded(features: 1),
    // Version 1 by its list, but without a version, as 024.
    "061": .refused(.unknownVersion),
    "062": .decoded(features: 5),
    "063": .decoded(features: 7),
    "064": .decoded(features: 9),
    "065": .decoded(features: 1),
    "066": .decoded(features: 1),
    "067": .decoded(features: 1),
    "068": .decoded(features: 3),
    "069": .decoded(features: 1),
    "070": .decoded(features: 1),
    "071": .decoded(features: 8),
    "072": .decoded(features: 1),
    "073": .decoded(features: 1),
    "074": .decoded(features: 1),
    "075": .decoded(features: 1),
    "076": .decoded(features: 1),
    "077": .decoded(features: 1),
  ]

  @Test func `every fixture is treated as its list says`() throws {
    #expect(try StreetFixtures.faultyTileNumbers == Set(Self.treatments.keys))
    for (number, expected) in Self.treatments.sorted(by: { $0.key < $1.key }) {
      let found = Self.treatment(try StreetFixtures.faultyTile(number))
      switch (found, expected) {
      case (.decoded(let found), .decoded(let features)),
        (.decoded(let found), .recovered(let features)):
        #expect(found == features, "fixture \(number)")
      default: #expect(found == expected, "fixture \(number)")
      }
    }
  }

  @Test(arguments: [
    ("017", "25,17"), ("018", "2,2 2,10 10,10"), ("019", "3,6 8,12 20,34 3,6"),
    ("020", "5,7 3,2"), ("021", "2,2 2,10 10,10;1,1 3,5"),
    (
      "022",
      "0,0 10,0 10,10 0,10 0,0;11,11 20,11 20,20 11,20 11,11;13,13 13,17 17,17 17,13 13,13"
    ),
    ("049", "2147483647,0 2147483648,1"), ("050", "0,-2147483648 -1,-2147483649"),
    ("053", "0,0 4096,0 4096,4096 0,4096 0,0"),
  ])
  func `geometries have the points of the specification's examples`(
    number: String, points: String
  ) throws {
    let feature = try #require(try TileDump.lines(StreetFixtures.faultyTile(number)).last)
    #expect(feature.split(separator: "\t", omittingEmptySubsequences: false).last ?? "" == points)
  }

  @Test func `values keep their types`() throws {
    let bytes = try StreetFixtures.faultyTile("038")
    let values = try bytes.withUnsafeBufferPointer { bytes in
      let layer = try #require(try VectorTile.layers(in: UnsafeRawBufferPointer(bytes)).first)
      let dictionary = try layer.dictionary()
      return try (0..<dictionary.valueCount).map { try dictionary.value(at: $0) }
    }
    #expect(
      Set(values) == [
        .string("ello"), .bool(true), .int(6), .double(1.23), .float(3.1), .int(-87_948),
        .uint(87_948),
      ])
  }

  @Test func `unknown fields are skipped by their wire type`() throws {
    // Given fields 20 to 23 of each wire type before, in and after a layer.
    let strange: [UInt8] =
      [0xA0, 0x01, 0x96, 0x01] + [0xA9, 0x01, 1, 2, 3, 4, 5, 6, 7, 8]
      + [0xB2, 0x01, 2, 9, 9] + [0xBD, 0x01, 1, 2, 3, 4]
    let layer = TileWriter.layer(
      TileWriter.Layer(name: "water", features: [(.point(7, 8), ["class": .text("lake")])]))
    let bytes = strange + TileWriter.message(3, strange + layer + strange) + strange
    #expect(
      try TileDump.lines(bytes) == ["layer\twater\t2\t4096\t1", "0\t1\tclass=s:lake\t7,8"])
  }

  @Test(
    arguments: [
      // No first point, by command or by count; a command that does not exist; more after a ring.
      (2, [10, 2, 2]), (2, [1, 10, 2, 2]), (3, [1, 15]), (2, [9, 2, 2, 11, 2, 2]),
      (1, [9, 2, 2, 10, 2, 2]), (3, [9, 2, 2, 18, 2, 2, 2, 3, 15, 10, 2, 2]),
    ] as [(UInt8, [UInt8])])
  func `commands that make no geometry are refused`(type: UInt8, commands: [UInt8]) {
    let feature = [3 << 3, type] + TileWriter.message(4, commands)
    let layer =
      TileWriter.message(1, Array("water".utf8)) + [15 << 3, 2] + TileWriter.message(2, feature)
    #expect(Self.treatment(TileWriter.message(3, layer)) == .refused(.impossibleGeometry))
  }

  @Test func `a fault is told in a sentence`() {
    let faults: [VectorTileError] = [
      .tooLarge(byteCount: 9_000_000), .truncated(offset: 7), .notProtobuf(offset: 7),
      .wrongWireType(offset: 7), .tooManyLayers, .unnamedLayer, .unknownVersion(99),
      .unknownVersion(nil), .impossibleExtent(0), .unknownValue(offset: 7),
      .missingProperty(offset: 7), .impossibleGeometry(offset: 7),
    ]
    #expect(Set(faults.map(\.description)).count == faults.count)
    #expect(faults.allSatisfy { $0.description.hasSuffix(".") })
  }

  private static func treatment(_ bytes: [UInt8]) -> Treatment {
    do {
      let lines = try TileDump.lines(bytes)
      return .decoded(features: lines.count { !$0.hasPrefix("layer") })
    } catch {
      return .refused(refusal(error))
    }
  }

  private static func refusal(_ error: VectorTileError) -> Refusal {
    switch error {
    case .wrongWireType: .wrongWireType
    case .unknownVersion: .unknownVersion
    case .unnamedLayer: .unnamedLayer
    case .missingProperty: .missingProperty
    case .impossibleGeometry: .impossibleGeometry
    case .unknownValue, .tooLarge, .truncated, .notProtobuf, .tooManyLayers, .impossibleExtent:
      .unknownValue
    }
  }
}
