import CSystemdBus
import Glibc

/// A value of a basic D-Bus type that a service sent.
package enum BusValue: Hashable, Sendable {
  case flag(Bool)
  /// Of any integer type.
  case integer(Int64)
  case real(Double)
  /// A string, an object path or a signature.
  case text(String)
  /// A file descriptor, which the receiver owns.
  case descriptor(Int32)

  init(_ value: rally_bus_value) {
    switch UInt8(bitPattern: value.type) {
    case UInt8(ascii: "b"): self = .flag(value.integer != 0)
    case UInt8(ascii: "d"): self = .real(value.real)
    case UInt8(ascii: "h"):
      self = .descriptor(fcntl(Int32(truncatingIfNeeded: value.integer), F_DUPFD_CLOEXEC, 0))
    default: self = value.text.map { .text(String(cString: $0)) } ?? .integer(value.integer)
    }
  }
}

/// An argument of a D-Bus call.
package struct BusArgument: Hashable, Sendable {
  private var type: UInt8
  private var text: String?
  private var number: Int64 = 0
  private var isVariant = false

  package static func text(_ text: String) -> BusArgument {
    BusArgument(type: UInt8(ascii: "s"), text: text)
  }

  /// An object path.
  package static func path(_ path: String) -> BusArgument {
    BusArgument(type: UInt8(ascii: "o"), text: path)
  }

  /// A `uint32`.
  package static func unsigned(_ number: UInt32) -> BusArgument {
    BusArgument(type: UInt8(ascii: "u"), number: Int64(number))
  }

  /// The argument as a variant, for `Set` of `org.freedesktop.DBus.Properties`.
  package var variant: BusArgument {
    var copy = self
    copy.isVariant = true
    return copy
  }

  /// Calls `body` with the arguments in the form that the C functions take.
  static func withValues<Result>(
    _ arguments: [BusArgument], _ body: ([rally_bus_value]) -> Result
  ) -> Result {
    let texts = arguments.map { argument in argument.text.map { strdup($0) } ?? nil }
    defer { texts.forEach { free($0) } }
    return body(
      zip(arguments, texts).map { argument, text in
        rally_bus_value(
          type: CChar(bitPattern: argument.type), is_variant: argument.isVariant ? 1 : 0,
          integer: argument.number, real: 0, text: UnsafePointer(text))
      })
  }
}
