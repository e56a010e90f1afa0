import FoundationEssentials
import RallyText

/// The JSON object in a PMTiles archive, and the same of an MBTiles archive.
struct ArchiveMetadata {
  /// A whole JSON object, as the archive has it.
  let json: [UInt8]
  let name: String
  let attribution: String?
  let layers: [String]

  /// - Parameter json: Empty for none.
  /// - Throws: `ArchiveError.damaged` for anything but a JSON object.
  init(json: [UInt8]) throws(ArchiveError) {
    let whole = json.isEmpty ? Array("{}".utf8) : json
    guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(whole)) else {
      throw .damaged("its description is no JSON object")
    }
    self.json = whole
    name = ArchiveText.line(fields.name ?? "", limit: 80)
    let attribution = ArchiveText.plain(html: fields.attribution ?? "", limit: 200)
    self.attribution = attribution.isEmpty ? nil : attribution
    layers = fields.layers.prefix(64).map { ArchiveText.line($0, limit: 40) }
  }

  /// The metadata table of MBTiles; its `json` holds fields of the object itself.
  init(table: [String: String]) throws(ArchiveError) {
    var object = table.mapValues { JSONValue.string($0) }
    if let text = object.removeValue(forKey: "json")?.string,
      let nested = try? JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))
    {
      object.merge(nested) { own, _ in own }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    guard let json = try? encoder.encode(object) else {
      throw .damaged("its description is no JSON object")
    }
    try self.init(json: Array(json))
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
