import CTOML

/// A TOML text that was read: its entries, and where each key and value stands.
package struct TOMLDocument: Sendable {
  /// A line and a column, which count from 1; columns count Unicode scalars.
  package typealias Place = (line: Int, column: Int)

  /// The entries of the text, sorted by key.
  package let entries: [(key: String, value: TOMLValue)]
  private let places: [[String]: Place]

  /// - Throws: `TOMLProblem` for what is not TOML, and for tables too deep within each other.
  package init(_ text: String) throws(TOMLProblem) {
    var text = text
    var builder = TOMLTreeBuilder()
    var problem = rally_toml_problem()
    let isRead = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        withUnsafeMutablePointer(to: &builder) { builder in
          rally_toml_read(
            bytes.baseAddress, bytes.count, builder,
            { context, event in
              guard let context, let event = event?.pointee else { return }
              context.assumingMemoryBound(to: TOMLTreeBuilder.self).pointee.take(event)
            }, &problem) == 1
        }
      }
    }
    guard isRead else { throw TOMLProblem(problem) }
    entries = builder.entries
    places = builder.places
  }

  /// Where the key of this path stands; a list's elements are `element(0)` and so on.
  package func place(of path: [String]) -> Place? { places[path] }

  /// The name of a list's element in a path.
  package static func element(_ index: Int) -> String { "[\(index)]" }
}

/// Makes the tree of a text from its events.
private struct TOMLTreeBuilder {
  /// A table or a list whose entries are still coming.
  private struct Parent {
    var isList = false
    var entries: [(key: String, value: TOMLValue)] = []
  }

  private(set) var places: [[String]: TOMLDocument.Place] = [:]
  private var path: [String] = []
  /// The text, and the tables and lists that the path leads through.
  private var parents = [Parent()]

  var entries: [(key: String, value: TOMLValue)] { parents[0].entries }

  mutating func take(_ event: rally_toml_event) {
    let kind = Int(event.kind)
    guard kind != RALLY_TOML_END else {
      let parent = parents.removeLast()
      return close(parent.isList ? .list(parent.entries.map(\.value)) : .table(parent.entries))
    }
    path.append(name(of: event))
    if places[path] == nil { places[path] = (Int(event.place.line), Int(event.place.column)) }
    switch kind {
    case RALLY_TOML_TABLE: parents.append(Parent())
    case RALLY_TOML_LIST: parents.append(Parent(isList: true))
    case RALLY_TOML_TEXT: close(.text(Self.text(event.text, event.text_count)))
    case RALLY_TOML_FLAG: close(.flag(event.flag != 0))
    default: close(.other)
    }
  }

  private func name(of event: rally_toml_event) -> String {
    let parent = parents[parents.count - 1]
    guard parent.isList else { return Self.text(event.key, event.key_count) }
    return TOMLDocument.element(parent.entries.count)
  }

  /// Adds a whole value to what surrounds it.
  private mutating func close(_ value: TOMLValue) {
    parents[parents.count - 1].entries.append((path.removeLast(), value))
  }

  private static func text(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}

/// Why a text is not TOML.
package struct TOMLProblem: Error {
  /// From 1 on.
  package var line, column: Int
  package var sentence: String

  fileprivate init(_ problem: rally_toml_problem) {
    line = max(1, problem.place.line)
    column = max(1, problem.place.column)
    sentence = withUnsafeBytes(of: problem.sentence) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
