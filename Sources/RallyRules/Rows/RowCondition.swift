import RallyText
import RallyWire

/// `column=operator.value`: one comparison, checked against the column's type.
package struct RowCondition: Hashable, Sendable {
  enum Operator: String, Hashable, Sendable, CaseIterable {
    case eq, neq, gt, gte, lt, lte, like, ilike, `is`, `in`
  }

  private enum Test: Hashable, Sendable {
    case compare(Operator, RowValue)
    case isAmong(Set<RowValue>)
    case matches(LikePattern)
    case isNull(Bool)
    /// nil is `unknown`.
    case isTruth(Bool?)
  }

  let column: String
  private let type: ColumnType
  private let test: Test

  /// - Throws: `22P02`, `22007`, `42883` and `42804` as PostgreSQL does, `PGRST100` for the words of
  ///   `is`.
  init(
    _ column: String, _ operator: Operator, _ operand: FilterParser.Operand,
    in relation: RowRelation
  ) throws {
    self.column = column
    type = try relation.type(of: column)
    switch (`operator`, operand) {
    case (.in, .list(let values)):
      try type.requireComparable("=")
      test = .isAmong(Set(try values.map { [type] in try RowValue($0, as: type) }))
    case (.is, .text(let word)): test = try RowCondition.test(is: word, type: type)
    case (.like, .text(let text)), (.ilike, .text(let text)):
      guard type == .text else {
        throw FunctionFailure.noOperator(`operator` == .like ? "~~" : "~~*", type)
      }
      test = .matches(LikePattern(text, ignoresCase: `operator` == .ilike))
    case (_, .text(let text)):
      try type.requireComparable(`operator`.symbol)
      test = .compare(`operator`, try RowValue(text, as: type))
    case (_, .list):
      throw FunctionFailure.unparsable("filter", `operator`.rawValue, "a value")
    }
  }

  private static func test(is word: String, type: ColumnType) throws -> Test {
    let truth: Bool?
    switch word.lowercased() {
    case "null": return .isNull(true)
    case "not_null": return .isNull(false)
    case "true": truth = true
    case "false": truth = false
    case "unknown": truth = nil
    default:
      throw FunctionFailure.unparsable(
        "filter", "is.\(word)", "null, not_null, true, false or unknown")
    }
    guard type == .bool else {
      throw FunctionFailure(
        code: "42804",
        message: "argument of IS \(word.uppercased()) must be type boolean, not type \(type.title)")
    }
    return .isTruth(truth)
  }

  /// nil for a comparison with null.
  func holds(for row: JSONRow) -> Bool? {
    switch test {
    case .isNull(let wanted): return (row[column] ?? .null == .null) == wanted
    case .isTruth(let wanted): return row[column]?.bool == wanted
    default: break
    }
    guard let value = RowValue(row[column], as: type) else { return nil }
    switch test {
    case .compare(.eq, let other): return value == other
    case .compare(.neq, let other): return value != other
    case .compare(.gt, let other): return value > other
    case .compare(.gte, let other): return value >= other
    case .compare(.lt, let other): return value < other
    case .compare(.lte, let other): return value <= other
    case .isAmong(let values): return values.contains(value)
    case .matches(let pattern): return value.key.map(pattern.matches)
    case .compare, .isNull, .isTruth: return nil
    }
  }

  /// The values that match, if the condition lists them.
  package var values: Set<RowValue>? {
    switch test {
    case .compare(.eq, let value): [value]
    case .isAmong(let values): values
    default: nil
    }
  }

  /// Characters of its pattern; zero without one.
  var patternLength: Int {
    if case .matches(let pattern) = test { pattern.length } else { 0 }
  }

  /// The upper bound of matching times.
  var latest: WireTime? {
    switch test {
    case .compare(.lt, .time(let time)), .compare(.lte, .time(let time)),
      .compare(.eq, .time(let time)):
      time
    default: nil
    }
  }
}

extension RowCondition.Operator {
  fileprivate var symbol: String {
    switch self {
    case .eq, .is, .in: "="
    case .neq: "<>"
    case .gt: ">"
    case .gte: ">="
    case .lt: "<"
    case .lte: "<="
    case .like: "~~"
    case .ilike: "~~*"
    }
  }
}

extension ColumnType {
  fileprivate func requireComparable(_ symbol: String) throws {
    if self == .json { throw FunctionFailure.noOperator(symbol, self) }
  }
}

/// A pattern of `like`: `%` or `*` is any text, `_` any one character, `\` takes the next literally.
struct LikePattern: Hashable, Sendable {
  private enum Part: Hashable {
    case literal(Unicode.Scalar)
    case one
    case any
  }

  private let parts: [Part]
  private let ignoresCase: Bool
  /// A text with fewer characters does not match.
  private let shortest: Int

  /// Characters of the pattern, without escapes.
  var length: Int { parts.count }

  init(_ text: String, ignoresCase: Bool) {
    self.ignoresCase = ignoresCase
    var parts: [Part] = []
    var isEscaped = false
    for scalar in (ignoresCase ? text.lowercased() : text).unicodeScalars {
      switch scalar {
      case _ where isEscaped:
        parts.append(.literal(scalar))
        isEscaped = false
      case "\\": isEscaped = true
      case "%", "*": if parts.last != .any { parts.append(.any) }
      case "_": parts.append(.one)
      default: parts.append(.literal(scalar))
      }
    }
    self.parts = parts
    shortest = parts.count { $0 != .any }
  }

  /// Backtracks to the last `%` only, so matching takes at most quadratic time.
  func matches(_ text: String) -> Bool {
    let scalars = Array((ignoresCase ? text.lowercased() : text).unicodeScalars)
    guard scalars.count >= shortest else { return false }
    var (position, part) = (0, 0)
    var retry: (position: Int, part: Int)?
    while position < scalars.count {
      if part < parts.count, parts[part] == .any {
        retry = (position, part)
        part += 1
      } else if part < parts.count,
        parts[part] == .one || parts[part] == .literal(scalars[position])
      {
        position += 1
        part += 1
      } else if let last = retry {
        retry = (last.position + 1, last.part)
        position = last.position + 1
        part = last.part + 1
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { $0 == .any }
  }
}
