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

/// Text of archives, which come from anywhere, for display.
enum ArchiveText {
  /// One line, cleaned for display, without spaces at its ends or in a row, of at most `limit`
  /// clusters.
  static func line(_ text: String, limit: Int) -> String {
    // Cut before it is cleaned, so that a long text costs little.
    let cleaned = String(text.unicodeScalars.prefix(limit * 8)).cleanedForDisplay
    let words = cleaned.split(separator: " ").map { $0.map(\.withFewMarks).joined() }
      .joined(separator: " ")
    let line = words.count > limit ? String(words.prefix(limit - 1)) + "…" : words
    return line.drawsNothing ? "" : line
  }

  /// The visible text of an HTML fragment, as attributions are: tags dropped, entities decoded.
  static func plain(html: String, limit: Int) -> String {
    var text = ""
    var rest = html.unicodeScalars.prefix(limit * 32)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "<":
        while let next = rest.popFirst(), next != ">" {}
        text += " "
      case "&":
        if let end = rest.prefix(10).firstIndex(of: ";"),
          let decoded = entity(String(rest[..<end]))
        {
          text.unicodeScalars.append(decoded)
          rest = rest[rest.index(after: end)...]
        } else {
          text += "&"
        }
      default: text.unicodeScalars.append(scalar)
      }
    }
    return line(text, limit: limit)
  }

  private static func entity(_ name: String) -> Unicode.Scalar? {
    if let known = known[name] { return known }
    guard name.hasPrefix("#") else { return nil }
    let digits = name.dropFirst()
    let isHex = digits.hasPrefix("x") || digits.hasPrefix("X")
    let value = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return value.flatMap(Unicode.Scalar.init)
  }

  private static let known: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "copy": "©",
    "reg": "®", "middot": "·", "mdash": "—", "ndash": "–",
  ]
}
