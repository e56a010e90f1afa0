internal import TOMLKit

/// A value of a TOML text.
///
/// The parser is imported here alone: it brings all of Foundation along, which the client goes
/// without.
package enum TOMLValue: Sendable {
  case text(String)
  case flag(Bool)
  case list([TOMLValue])
  case table([(key: String, value: TOMLValue)])
  /// A number or a date, which no setting takes.
  case other

  /// The entries of a whole text, sorted by key.
  ///
  /// - Throws: `TOMLProblem` for what is not TOML.
  package static func entries(of text: String) throws(TOMLProblem) -> [(
    key: String, value: TOMLValue
  )] {
    do {
      return entries(of: try TOMLTable(string: text))
    } catch let error as TOMLParseError {
      let begin = error.source.begin
      throw TOMLProblem(line: begin.line, column: begin.column, sentence: error.description)
    } catch {
      throw TOMLProblem(line: 1, column: 1, sentence: "it cannot be parsed")
    }
  }

  private init(_ value: some TOMLValueConvertible) {
    if let text = value.string {
      self = .text(text)
    } else if let flag = value.bool {
      self = .flag(flag)
    } else if let array = value.array {
      self = .list(array.map { TOMLValue($0) })
    } else if let table = value.table {
      self = .table(Self.entries(of: table))
    } else {
      self = .other
    }
  }

  /// The entries of a table, sorted by key.
  private static func entries(of table: TOMLTable) -> [(key: String, value: TOMLValue)] {
    table.keys.sorted().compactMap { key in
      table[key].map { (key, TOMLValue($0)) }
    }
  }

  package var text: String? { if case .text(let text) = self { text } else { nil } }

  /// A string as a TOML literal.
  package static func literal(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": literal += "\\\""
      case "\\": literal += "\\\\"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        literal += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }
}

/// Why a text is not TOML.
package struct TOMLProblem: Error {
  /// From 1 on.
  package var line, column: Int
  package var sentence: String
}
