import Foundation
import RallyWire

/// A value of a column or parameter, in the types that all engines share.
package enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
}

/// A type that can be bound to a parameter and read from a column.
package protocol SQLConvertible: Sendable {
  var sqlValue: SQLValue { get }

  /// nil for a value of another type.
  init?(_ value: SQLValue)
}

/// nil is null.
extension Optional: SQLConvertible where Wrapped: SQLConvertible {
  package var sqlValue: SQLValue { map(\.sqlValue) ?? .null }

  package init?(_ value: SQLValue) {
    guard value != .null else {
      self = .none
      return
    }
    guard let wrapped = Wrapped(value) else { return nil }
    self = wrapped
  }
}

extension Int64: SQLConvertible {
  package var sqlValue: SQLValue { .integer(self) }

  package init?(_ value: SQLValue) {
    guard case .integer(let number) = value else { return nil }
    self = number
  }
}

extension Int: SQLConvertible {
  package var sqlValue: SQLValue { .integer(Int64(self)) }

  package init?(_ value: SQLValue) {
    guard case .integer(let number) = value else { return nil }
    self.init(exactly: number)
  }
}

/// Stored as 0 and 1.
extension Bool: SQLConvertible {
  package var sqlValue: SQLValue { .integer(self ? 1 : 0) }

  package init?(_ value: SQLValue) {
    guard case .integer(let number) = value else { return nil }
    self = number != 0
  }
}

extension Double: SQLConvertible {
  package var sqlValue: SQLValue { .real(self) }

  package init?(_ value: SQLValue) {
    switch value {
    case .real(let number): self = number
    case .integer(let number): self = Double(number)
    case .null, .text: return nil
    }
  }
}

extension String: SQLConvertible {
  package var sqlValue: SQLValue { .text(self) }

  package init?(_ value: SQLValue) {
    switch value {
    case .text(let text): self = text
    // SQLite's pragmas return numbers.
    case .integer(let number): self.init(number)
    case .null, .real: return nil
    }
  }
}

/// Stored as lower-case text.
extension UUID: SQLConvertible {
  package var sqlValue: SQLValue { .text(wireText) }

  package init?(_ value: SQLValue) {
    guard case .text(let text) = value else { return nil }
    self.init(wireText: text)
  }
}

/// Stored in microseconds since 1970.
extension WireTime: SQLConvertible {
  package var sqlValue: SQLValue { .integer(microseconds) }

  package init?(_ value: SQLValue) {
    guard case .integer(let number) = value else { return nil }
    self.init(microseconds: number)
  }
}

extension SQLConvertible where Self: RawRepresentable<String> {
  package var sqlValue: SQLValue { .text(rawValue) }

  package init?(_ value: SQLValue) {
    guard case .text(let text) = value else { return nil }
    self.init(rawValue: text)
  }
}

extension ActivityKind: SQLConvertible {}
extension FriendshipRecord.Status: SQLConvertible {}
extension GridLevel: SQLConvertible {}
extension MissionMembership: SQLConvertible {}
extension MissionState: SQLConvertible {}
extension MissionVisibility: SQLConvertible {}
extension PhoneApp: SQLConvertible {}
extension SharingMode: SQLConvertible {}
