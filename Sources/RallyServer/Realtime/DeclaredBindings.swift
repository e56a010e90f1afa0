import Foundation
import RallyRules
import RallyText
import RallyWire

/// The `postgres_changes` entries of a join as text, not parsed yet.
///
/// They are parsed into patterns, which cost many times the memory, once the channel has a
/// signed-in user.
struct DeclaredBindings: Sendable {
  /// Bytes that count as one entry.
  private static let unit = 256

  private let text: [UInt8]
  private let count: Int
  private let firstID: Int64

  /// - Parameter firstID: The id of the first entry; the others follow.
  init(_ entries: [[String: JSONValue]], firstID: Int64) {
    text = JSONWriter.bytes(of: .array(entries.map(JSONValue.object)))
    count = entries.count
    self.firstID = firstID
  }

  /// Bytes that they occupy.
  var size: Int { text.count }
  /// How many ordinary entries they are worth: one with a long filter is worth several.
  var weight: Int { max(count, (size + DeclaredBindings.unit - 1) / DeclaredBindings.unit) }

  /// Each entry with its id, in the order in which they came.
  var entries: [(id: Int64, json: [String: JSONValue])] {
    let entries = (try? WireJSON.value(of: text).array)?.compactMap(\.object) ?? []
    return entries.enumerated().map { (firstID + Int64($0.offset), $0.element) }
  }

  /// What a join is answered: each entry verbatim with its id.
  var echo: JSONValue {
    .array(entries.map { .object($0.json.merging(["id": .integer($0.id)]) { _, id in id }) })
  }
}
