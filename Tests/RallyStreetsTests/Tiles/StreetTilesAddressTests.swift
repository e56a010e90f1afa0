import RallyMap
import Testing

@testable import RallyStreets

@Suite struct StreetTilesAddressTests {
  @Test func `a point has the address that an archive of the folder knows`() async throws {
    let shelf = try StreetShelf()
    let tiles = StreetTiles(folder: shelf.folder.path)
    let point = GeoPoint(latitude: 43.7357, longitude: 7.4198)
    #expect(await tiles.address(of: point) == StreetAddress())
    try shelf.addMonaco()
    #expect(await tiles.address(of: point).text == "Rue Grimaldi, Monaco")
    let lisbon = GeoPoint(latitude: 38.72, longitude: -9.14)
    #expect(await tiles.address(of: lisbon) == StreetAddress())
  }

  @Test func `streets are found by name, from wherever one looks`() async throws {
    let shelf = try StreetShelf()
    try shelf.addMonaco()
    let tiles = StreetTiles(folder: shelf.folder.path)
    for point in [StreetShelf.monaco, GeoPoint(latitude: 38.72, longitude: -9.14), nil] {
      let found = await tiles.matches("grimaldi", near: point, limit: 5)
      #expect(found.first?.name == "Rue Grimaldi")
      #expect(found.first?.place == "Monaco")
      #expect(found.count <= 5)
    }
    #expect(await tiles.matches("no such street", near: nil, limit: 5).isEmpty)
  }

  @Test func `who made the tiles is said even if the archive does not`() async throws {
    let shelf = try StreetShelf()
    try shelf.addMonaco()
    let ground = await StreetTiles(folder: shelf.folder.path).ground(
      for: Viewport(center: StreetShelf.monaco, zoom: 14, columns: 80, rows: 24))
    #expect(ground?.attribution.contains("OpenStreetMap") == true)
  }
}
