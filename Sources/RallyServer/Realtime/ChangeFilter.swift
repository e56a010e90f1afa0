import RallyWire

/// The filter of a binding: `column=op.value`, several joined by commas, all of which must hold.
///
/// Offered are `eq`, `neq` and `in.(a,b)`.
struct ChangeFilter: Hashable, Sendable {
  private struct Condition: Hashable, Sendable {
    let column: String
    let values: Set<String>
    let isNegated: Bool
  }

  struct Unsupported: Error {}

  private static let listLimit = 100

  private let conditions: [Condition]

  /// - Throws: `Unsupported` for an unknown column or operator.
  init(_ text: String, columns: [ChangeEvent.Column]) throws(Unsupported) {
    var conditions: [Condition] = []
    for part in ChangeFilter.split(text) {
      guard let equals = part.firstIndex(of: "=") else { throw Unsupported() }
      let column = String(part[..<equals])
      let rest = part[part.index(after: equals)...]
      guard columns.contains(where: { $0.name == column }), let dot = rest.firstIndex(of: ".")
      else { throw Unsupported() }
      let value = rest[rest.index(after: dot)...]
      switch rest[..<dot] {
      case "eq":
        conditions.append(.init(column: column, values: [String(value)], isNegated: false))
      case "neq":
        conditions.append(.init(column: column, values: [String(value)], isNegated: true))
      case "in":
        guard value.hasPrefix("("), value.hasSuffix(")") else { throw Unsupported() }
        let values = value.dropFirst().dropLast().split(separator: ",").map(String.init)
        guard values.count <= ChangeFilter.listLimit else { throw Unsupported() }
        conditions.append(.init(column: column, values: Set(values), isNegated: false))
      default: throw Unsupported()
      }
    }
    self.conditions = conditions
  }

  /// Whether a row passes; a column that is missing or null passes nothing, as in SQL.
  func matches(_ record: [String: JSONValue]) -> Bool {
    conditions.allSatisfy { condition in
      guard let value = record[condition.column].flatMap(ChangeFilter.text) else { return false }
      return condition.values.contains(value) != condition.isNegated
    }
  }

  private static func text(_ value: JSONValue) -> String? {
    switch value {
    case .string(let text): text
    case .integer(let number): String(number)
    case .number(let number): String(number)
    case .bool(let flag): flag ? "true" : "false"
    case .null, .array, .object: nil
    }
  }

  /// Cuts at commas outside of parentheses.
  private static func split(_ text: String) -> [Substring] {
    var parts: [Substring] = []
    var start = text.startIndex
    var depth = 0
    for index in text.indices {
      switch text[index] {
      case "(": depth += 1
      case ")": depth -= 1
      case "," where depth == 0:
        parts.append(text[start..<index])
        start = text.index(after: index)
      default: break
      }
    }
    parts.append(text[start...])
    return parts
  }
}
