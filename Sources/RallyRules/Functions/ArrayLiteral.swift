import RallyText
import RallyWire

/// PostgreSQL's text of a list: `{a, "b, \"c\"", NULL}`.
enum ArrayLiteral {
  /// nil for other text, and for lists of lists, which no function takes.
  static func elements(of text: String) -> [JSONValue]? {
    guard text.count >= 2, text.first == "{", text.last == "}" else { return nil }
    var rest = text.dropFirst().dropLast()
    skipSpaces(&rest)
    if rest.isEmpty { return [] }
    var elements: [JSONValue] = []
    while true {
      skipSpaces(&rest)
      guard let element = rest.first == "\"" ? quoted(&rest) : bare(&rest) else { return nil }
      elements.append(element)
      skipSpaces(&rest)
      guard let separator = rest.popFirst() else { return elements }
      guard separator == "," else { return nil }
    }
  }

  private static func bare(_ rest: inout Substring) -> JSONValue? {
    let word = rest.prefix { !"{},\"\\".contains($0) }
    rest = rest[word.endIndex...]
    guard let end = word.lastIndex(where: { $0 != " " }) else { return nil }
    return word[...end].lowercased() == "null" ? .null : .string(String(word[...end]))
  }

  private static func quoted(_ rest: inout Substring) -> JSONValue? {
    var text = ""
    rest.removeFirst()
    while let character = rest.popFirst() {
      switch character {
      case "\"": return .string(text)
      case "\\":
        guard let next = rest.popFirst() else { return nil }
        text.append(next)
      default: text.append(character)
      }
    }
    return nil
  }

  private static func skipSpaces(_ rest: inout Substring) { rest = rest.drop { $0 == " " } }
}
