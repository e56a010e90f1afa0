/// A value in a column or in the place of a mark, in what all engines share.
enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
}

/// What can be put into a statement and read from a column.
protocol SQLConvertible: Sendable {
  var sqlValue: SQLValue { get }

  /// nil when the value is something else.
  init?(_ value: SQLValue)
}

extension Int64: SQLConvertible {
  var sqlValue: SQLValue { .integer(self) }

  init?(_ value: SQLValue) {
    guard case .integer(let number) = value else { return nil }
    self = number
  }
}

extension Int: SQLConvertible {
  var sqlValue: SQLValue { .integer(Int64(self)) }

  init?(_ value: SQLValue) {
    guard case .integer(let number) = value else { return nil }
    self.init(exactly: number)
  }
}

/// Kept as 0 and 1.
extension Bool: SQLConvertible {
  var sqlValue: SQLValue { .integer(self ? 1 : 0) }

  init?(_ value: SQLValue) {
    guard case .integer(let number) = value else { return nil }
    self = number != 0
  }
}

extension Double: SQLConvertible {
  var sqlValue: SQLValue { .real(self) }

  init?(_ value: SQLValue) {
    switch value {
    case .real(let number): self = number
    case .integer(let number): self = Double(number)
    case .null, .text: return nil
    }
  }
}

extension String: SQLConvertible {
  var sqlValue: SQLValue { .text(self) }

  init?(_ value: SQLValue) {
    switch value {
    case .text(let text): self = text
    // As SQLite's settings are told.
    case .integer(let number): self.init(number)
    case .null, .real: return nil
    }
  }
}
