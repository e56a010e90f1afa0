import CSystemdBus
import Glibc
import RallyWire

/// An object of a service whose values are followed.
package struct BusObject: Hashable, Sendable {
  var service: String
  package var path: String
  var interface: String
  /// The method without arguments that returns the values, and whose changes the signal `changed`
  /// reports; nil for the interface's properties.
  var method: String?

  package init(service: String, path: String, interface: String, method: String? = nil) {
    self.service = service
    self.path = path
    self.interface = interface
    self.method = method
  }
}

/// What is known of a followed object.
package enum BusAnswer: Hashable, Sendable {
  /// The service has not answered yet.
  case waiting
  /// The service is not on the bus, or there is no bus.
  case absent
  /// The service does not answer, or refuses: why, for the end of a sentence.
  case problem(String)
  case values([String: BusValue], at: WireTime)
}

/// A signal that is listened for.
package struct BusSignal: Hashable, Sendable {
  package var service: String
  /// nil for every object of the service.
  var path: String?
  var interface: String
  var member: String
  /// The first argument; nil for any.
  var argument: String?

  package init(
    service: String, path: String? = nil, interface: String, member: String, argument: String? = nil
  ) {
    self.service = service
    self.path = path
    self.interface = interface
    self.member = member
    self.argument = argument
  }

  /// What a bus compares signals with.
  var rule: String {
    [
      "type='signal',sender='\(service)',interface='\(interface)',member='\(member)'",
      path.map { "path='\($0)'" }, argument.map { "arg0='\($0)'" },
    ].compactMap(\.self).joined(separator: ",")
  }
}

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
