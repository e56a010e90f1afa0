import RallyRules
import RallyWire

/// The filter of a binding: `column=op.value`, several joined by commas, all of which must hold.
///
/// The operators are those of `/rest/v1` and of Realtime's own `isdistinct` (unequal, where null is a
/// value like others). `not.` turns any of them around. Regular expressions (`match`, `imatch`) are
/// refused.
struct ChangeFilter: Hashable, Sendable {
  /// What cannot be asked for, in PostgreSQL's or PostgREST's words.
  struct Unsupported: Error, Hashable {
    var message: String
  }

  private enum Test: Hashable, Sendable {
    case row(RowFilter)
    case isDistinct(from: RowValue?, type: ColumnType, isNegated: Bool)
  }

  private struct Condition: Hashable, Sendable {
    let column: String
    let test: Test
  }

  private static let listLimit = 100
  /// Bytes; a hundred ids fit.
  private static let longest = 8192

  private let conditions: [Condition]

  /// - Throws: `Unsupported` for an unknown column or operator, or a value of another type.
  init(_ text: String, on relation: RowRelation) throws(Unsupported) {
    guard text.utf8.count <= ChangeFilter.longest else {
      throw Unsupported(message: "a filter has at most \(ChangeFilter.longest) bytes")
    }
    var conditions: [Condition] = []
    for part in ChangeFilter.split(text) {
      do {
        conditions.append(try ChangeFilter.condition(part, on: relation))
      } catch let failure as FunctionFailure {
        throw Unsupported(message: failure.message)
      } catch {
        throw Unsupported(message: "\(error)")
      }
    }
    self.conditions = conditions
  }

  /// Whether a row passes. Columns that it does not have (of a deleted row only the key is known)
  /// pass nothing; null passes what SQL lets it pass.
  func matches(_ record: JSONRow) -> Bool {
    conditions.allSatisfy { condition in
      guard let value = record[condition.column] else { return false }
      switch condition.test {
      case .row(let filter): return filter.holds(for: record) == true
      case .isDistinct(let other, let type, let isNegated):
        return (RowValue(value, as: type) != other) != isNegated
      }
    }
  }

  // MARK: - Reading

  private static func condition(
    _ part: Substring, on relation: RowRelation
  ) throws -> Condition {
    guard let equals = part.firstIndex(of: "=") else {
      throw Unsupported(message: "“\(part)” is not column=operator.value")
    }
    let column = String(part[..<equals])
    let type = try relation.type(of: column)
    let operation = part[part.index(after: equals)...]
    var (rest, isNegated) = (operation, false)
    while rest.hasPrefix("not.") {
      rest = rest.dropFirst(4)
      isNegated.toggle()
    }
    if rest.hasPrefix("isdistinct.") {
      let text = String(rest.dropFirst("isdistinct.".count))
      let value = text == "null" ? nil : try RowValue(text, as: type)
      return Condition(
        column: column, test: .isDistinct(from: value, type: type, isNegated: isNegated))
    }
    var parser = FilterParser(String(operation), in: relation)
    let filter = try parser.filter(of: column)
    guard filter.mostValues <= listLimit else {
      throw Unsupported(message: "in takes at most \(listLimit) values")
    }
    return Condition(column: column, test: .row(filter))
  }

  /// Cuts at commas outside of parentheses and quotes.
  private static func split(_ text: String) -> [Substring] {
    var parts: [Substring] = []
    var start = text.startIndex
    var (depth, isQuoted, isEscaped) = (0, false, false)
    for index in text.indices {
      if isEscaped {
        isEscaped = false
        continue
      }
      switch text[index] {
      case "\\" where isQuoted: isEscaped = true
      case "\"" where depth > 0: isQuoted.toggle()
      case _ where isQuoted: break
      case "(": depth += 1
      case ")": depth = max(0, depth - 1)
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

extension RowFilter {
  /// The length of the longest list of values.
  fileprivate var mostValues: Int {
    switch self {
    case .condition(let condition): condition.values?.count ?? 0
    case .not(let filter): filter.mostValues
    case .all(let filters), .any(let filters): filters.map(\.mostValues).max() ?? 0
    }
  }
}
