import FoundationEssentials
import RallyText

/// The JSON object in a PMTiles archive, and the same of an MBTiles archive.
struct ArchiveMetadata {
  /// A whole JSON object, as the archive has it; an empty one where it has none that can be read.
  let json: [UInt8]
  let name: String
  let attribution: String?
  let layers: [String]

  /// A description that cannot be read costs itself: it counts as none.
  ///
  /// - Parameter json: Empty for none.
  init(json: [UInt8]) {
    let fields = try? JSONDecoder().decode(Fields.self, from: Data(json))
    self.json = fields == nil ? Array("{}".utf8) : json
    name = ArchiveText.line(fields?.name ?? "", limit: 80)
    let attribution = ArchiveText.plain(html: fields?.attribution ?? "", limit: 200)
    self.attribution = attribution.isEmpty ? nil : attribution
    layers = (fields?.layers ?? []).prefix(64).map { ArchiveText.line($0, limit: 40) }
  }

  /// The metadata table of MBTiles; its `json` holds fields of the object itself.
  init(table: [String: String]) {
    var object = table.mapValues { JSONValue.string($0) }
    if let text = object.removeValue(forKey: "json")?.string,
      let nested = try? JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))
    {
      object.merge(nested) { own, _ in own }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    self.init(json: (try? encoder.encode(object)).map(Array.init) ?? [])
  }

  /// The fields that are read; a field of another type counts as none.
  private struct Fields: Decodable {
    struct Layer: Decodable { let id: String? }
    struct Nested: Decodable { let vector_layers: [Layer]? }

    let name: String?
    let attribution: String?
    let layers: [String]

    private enum Key: String, CodingKey {
      case name, attribution, json
      case layers = "vector_layers"
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      name = try? values.decode(String.self, forKey: .name)
      attribution = try? values.decode(String.self, forKey: .attribution)
      // Some programs copy the text of MBTiles' `json` as it is.
      let text = try? values.decode(String.self, forKey: .json)
      let nested = text.flatMap { try? JSONDecoder().decode(Nested.self, from: Data($0.utf8)) }
      let listed = (try? values.decode([Layer].self, forKey: .layers)) ?? nested?.vector_layers
      layers = (listed ?? []).compactMap(\.id)
    }
  }
}
