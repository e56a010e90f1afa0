/// A row that a verb prints with `--json`. Scripts build on its names: nothing is renamed or left out,
/// and what is unknown is null.
package protocol JSONRow: Encodable {
  /// What is printed, by its name.
  var members: [String: (any Encodable)?] { get }
}

extension JSONRow {
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    for (name, value) in members {
      if let value {
        try container.encode(value, forKey: Name(name))
      } else {
        try container.encodeNil(forKey: Name(name))
      }
    }
  }
}

private struct Name: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}
