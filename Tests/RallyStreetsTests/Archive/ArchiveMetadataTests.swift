import Foundation
import Testing

@testable import RallyStreets

/// The description in an archive.
struct ArchiveMetadataTests {
  @Test func `the table of MBTiles and the object in it become one, the table first`() throws {
    let nested =
      #"{"name":"no","vector_layers":[{"id":"roads","fields":{"kind":"String"},"minzoom":4}],"#
      + #""ratio":0.5,"none":null,"yes":true}"#
    let metadata = ArchiveMetadata(table: ["name": "Lisbon", "minzoom": "0", "json": nested])
    #expect(metadata.name == "Lisbon")
    #expect(metadata.layers == ["roads"])
    let whole = try #require(
      JSONSerialization.jsonObject(with: Data(metadata.json)) as? NSDictionary)
    let wanted: NSDictionary = [
      "name": "Lisbon", "minzoom": "0", "ratio": 0.5, "none": NSNull(), "yes": true,
      "vector_layers": [["id": "roads", "fields": ["kind": "String"], "minzoom": 4]],
    ]
    #expect(whole == wanted)
  }

  @Test(arguments: ["", "[1]", "{", "7"])
  func `what is no object in it is left out`(text: String) throws {
    let metadata = ArchiveMetadata(table: ["name": "Lisbon", "json": text])
    #expect(String(decoding: metadata.json, as: UTF8.self) == #"{"name":"Lisbon"}"#)
  }

  @Test(arguments: ["", "[1]", "{", "\u{0}"])
  func `a description that cannot be read costs itself`(text: String) {
    let metadata = ArchiveMetadata(json: Array(text.utf8))
    #expect(String(decoding: metadata.json, as: UTF8.self) == "{}")
    #expect(metadata.name == "" && metadata.layers == [])
  }
}
