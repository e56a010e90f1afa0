import RallyMap
import Testing

@testable import RallyStreets

@Suite struct StreetSearchTests {
  private let monaco: [GroundTile]
  private let harbour = GeoPoint(latitude: 43.7350, longitude: 7.4250)

  init() throws {
    monaco = try StreetFixtures.tileNames.filter { $0.hasPrefix("monaco-14-") }.map { name in
      try GroundTile(vectorTile: StreetFixtures.tile(name), at: StreetFixtures.address(name))
    }
  }

  @Test(arguments: ["rue grimaldi", "RUE GRIMALDI", "grimaldi", "grim", "Grimáldi rue"])
  func `a street is found by any of its words`(text: String) throws {
    let found = try #require(monaco.streets(matching: text, near: harbour).first)
    #expect(found.name == "Rue Grimaldi")
    #expect(found.place == "Monaco")
    #expect(found.kind == .primary)
    #expect((100...600).contains(found.distance))
    #expect(monaco.street(near: found.point) == "Rue Grimaldi")
  }

  @Test func `towns, quarters and squares are found too`() {
    let town = monaco.streets(matching: "monaco", near: harbour).first
    #expect(town?.kind == .city && town?.place == nil)
    let quarter = monaco.streets(matching: "condamine", near: harbour).first
    #expect(quarter?.kind == .quarter && quarter?.place == "Monaco")
    let square = monaco.streets(matching: "gastaud", near: harbour).first
    #expect(square?.kind == .square)
  }

  @Test func `better matches come before nearer ones, and equal ones by distance`() throws {
    let names = [
      "Le Port du Roi", "Rue du Port", "Port Royal", "Quai du Vieux Port", "Port", "Portail",
      "Aport",
    ]
    // From far to near.
    let tiles = try names.enumerated().map { index, name in
      let x = 4_000 - index * 100
      return try StreetAddressTests.tile(
        .line([(x, 0), (x, 50)]), "transportation_name", "minor", name)
    }
    let point = try #require(tiles.first).geoPoint(x: 0, y: 0)
    let found = tiles.streets(matching: "port", near: point)
    #expect(
      found.map(\.name) == [
        "Port", "Portail", "Port Royal", "Quai du Vieux Port", "Rue du Port", "Le Port du Roi",
      ])
    #expect(found.map(\.distance).allSatisfy { $0 > 0 })
    // Both words in this order, before both in another.
    #expect(
      tiles.streets(matching: "port du", near: point).map(\.name)
        == ["Le Port du Roi", "Quai du Vieux Port", "Rue du Port"])
    #expect(tiles.streets(matching: "port", near: point, limit: 2).count == 2)
  }

  @Test func `parts of one street are one result, and streets of two towns are two`() throws {
    let street: [String: TileWriter.Value] = ["class": .text("minor"), "name": .text("Rue Haute")]
    let tile = try GroundTile.decoded(
      TileWriter.tile(
        TileWriter.Layer(
          name: "transportation_name",
          features: [
            (.line([(0, 0), (0, 40)]), street), (.line([(0, 40), (0, 240)]), street),
            (.line([(4_000, 0), (4_000, 40)]), street),
          ]),
        TileWriter.Layer(
          name: "place",
          features: [
            (.point(0, 0), ["class": .text("village"), "name": .text("A")]),
            (.point(4_000, 0), ["class": .text("village"), "name": .text("B")]),
          ])))
    let found = [tile, tile].streets(matching: "haute", near: tile.geoPoint(x: 10, y: 0))
    #expect(found.map(\.place) == ["A", "B"])
    // The middle of the longest run, and the distance to the nearest.
    let middle = WorldPoint(try #require(found.first).point)
    let expected = WorldPoint(tile.geoPoint(x: 0, y: 140))
    #expect(abs(middle.x - expected.x) < 1e-9 && abs(middle.y - expected.y) < 1e-9)
    #expect(found[0].distance < 10)
  }

  @Test func `towns of one name far from each other are two`() throws {
    let address = try #require(TileAddress(zoom: 8, x: 133, y: 93))
    let town: [String: TileWriter.Value] = ["class": .text("town"), "name": .text("Saint-Denis")]
    let bytes = TileWriter.tile(
      TileWriter.Layer(
        name: "place",
        features: [(.point(0, 0), town), (.point(3, 3), town), (.point(900, 0), town)]))
    let tile = try GroundTile(vectorTile: bytes, at: address)
    let found = [tile, tile].streets(matching: "saint denis", near: tile.geoPoint(x: 900, y: 9))
    #expect(found.count == 2)
    #expect(found.first.map { $0.distance < 2_000 } == true)
  }

  @Test(arguments: [
    ("Οδός Ερμού", "ερμου"), ("улица Ёлкина", "елкина"), ("東京通り", "東京"),
    ("شارع النيل", "النيل"), ("Straße", "strasse"), ("L'Hermitage", "lhermitage"),
  ])
  func `names in any script are found`(name: String, text: String) throws {
    let tile = try StreetAddressTests.tile(
      .line([(0, 0), (9, 9)]), "transportation_name", "minor", name)
    let found = [tile].streets(matching: text, near: tile.geoPoint(x: 0, y: 0))
    #expect(found.map(\.name) == [name])
  }

  @Test(arguments: ["", "  ", "'", "zzz"])
  func `a text that names nothing finds nothing`(text: String) {
    #expect(monaco.streets(matching: text, near: harbour).isEmpty)
  }
}
