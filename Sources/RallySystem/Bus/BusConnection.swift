import CSystemdBus
import FoundationEssentials
import Glibc

/// A reply or a signal.
package struct BusMessage: Sendable {
  var tag: UInt32
  /// Why a call failed; nil for a success and for a signal.
  package var problem: BusProblem?
  /// The values of a dictionary, by their keys. The elements of an array inside a value have the
  /// name of that value, a slash, and their own key if any: `a/b`. Those of a structure have their
  /// number: `a/0`. The last one of a name is kept.
  package var values: [String: BusValue] = [:]
  /// The arguments outside of dictionaries. The first one of a failure is its text for people.
  package var arguments: [BusValue] = []
}

/// A connection to a bus. Nothing blocks except opening it. One thread at a time may use it.
final class BusConnection: Sendable {
  /// How long opening may take, in microseconds.
  private static let patience: UInt64 = 800_000

  let descriptor: Int32
  // Safe: `BusMonitor` makes every call with its lock held, and the last reference closes it.
  nonisolated(unsafe) private let bus: OpaquePointer?

  /// - Throws: `BusProblem` if there is no bus, or no libsystemd.
  init(address: String) throws(BusProblem) {
    var opened: OpaquePointer?
    try BusProblem.check(rally_bus_connect(address, Self.patience, &opened))
    descriptor = rally_bus_descriptor(opened)
    bus = opened
  }

  deinit { rally_bus_disconnect(bus) }

  /// When `messages` is due at the latest, in microseconds of the monotonic clock; nil for never.
  var deadline: UInt64? {
    let deadline = rally_bus_deadline(bus)
    return deadline == .max ? nil : deadline
  }

  /// Subscribes to the signals of a match rule.
  ///
  /// - Throws: `BusProblem` if the connection is lost.
  func match(_ rule: String, tag: UInt32) throws(BusProblem) {
    try BusProblem.check(rally_bus_match(bus, tag, rule))
  }

  /// Calls a method.
  ///
  /// - Parameters:
  ///   - startsService: Whether the bus starts a service that does not run.
  ///   - patience: Microseconds until the call fails with `ETIMEDOUT`; `.max` for never.
  /// - Throws: `BusProblem` if the connection is lost.
  func call(
    _ object: BusObject, interface: String, _ method: String, _ arguments: [BusArgument],
    tag: UInt32, startsService: Bool = false, patience: UInt64
  ) throws(BusProblem) {
    let code = BusArgument.withValues(arguments) { values in
      rally_bus_call(
        bus, tag, object.service, object.path, interface, method, values, values.count,
        startsService ? 1 : 0, patience)
    }
    try BusProblem.check(code)
  }

  /// What has arrived since the last call.
  ///
  /// - Throws: `BusProblem` if the connection is lost.
  func messages() throws(BusProblem) -> [BusMessage] {
    var inbox = Inbox()
    let code = withUnsafeMutablePointer(to: &inbox) {
      rally_bus_dispatch(bus, Inbox.receive, $0)
    }
    try BusProblem.check(code)
    return inbox.messages
  }

  private struct Inbox {
    var messages: [BusMessage] = []
    private var next = BusMessage(tag: 0)

    static let receive:
      @convention(c) (
        UnsafeMutableRawPointer?, UInt32, Int32, UnsafePointer<CChar>?,
        UnsafePointer<rally_bus_value>?
      ) -> Void = { context, tag, code, name, value in
        guard let inbox = context?.assumingMemoryBound(to: Inbox.self), let name else { return }
        inbox.pointee.receive(tag, code, String(cString: name), value?.pointee)
      }

    private mutating func receive(
      _ tag: UInt32, _ code: Int32, _ name: String, _ value: rally_bus_value?
    ) {
      guard let value else {
        next.tag = tag
        next.problem = code < 0 ? BusProblem(code: -code) : nil
        messages.append(next)
        next = BusMessage(tag: 0)
        return
      }
      if name.isEmpty {
        next.arguments.append(BusValue(value))
      } else {
        next.values[name] = BusValue(value)
      }
    }
  }
}

/// Where the buses of this machine are.
package enum BusAddress {
  /// The address of the system bus, whether or not there is one.
  package static func system(in environment: [String: String]) -> String {
    let address = environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? ""
    return address.isEmpty ? "unix:path=/run/dbus/system_bus_socket" : address
  }

  /// The address of the user's session bus; nil if there is none.
  package static func session(in environment: [String: String]) -> String? {
    if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
    guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/"),
      FileManager.default.fileExists(atPath: "\(folder)/bus")
    else { return nil }
    return "unix:path=\(folder)/bus"
  }
}

/// A failed D-Bus call or connection.
package struct BusProblem: ReportableError, Hashable {
  /// A positive `errno` value.
  var code: Int32

  /// What failed, for the end of a sentence.
  package var sentence: String {
    switch code {
    case ENOSYS: "libsystemd.so.0, which speaks D-Bus, is missing"
    case ENOENT, ECONNREFUSED: "no bus listens there"
    case ECONNRESET, ENOTCONN, EPIPE: "the bus ended"
    case ETIMEDOUT: "no answer"
    case EBADR: "the service does not have what is asked for"
    default: String(cString: strerror(code))
    }
  }

  /// Whether the service does not run.
  package var isAbsence: Bool { code == ENXIO || code == EHOSTUNREACH }

  /// Whether the caller is not allowed to.
  package var isRefusal: Bool { code == EACCES || code == EPERM }

  /// Whether the object, or its method, is not there.
  package var isUnknownObject: Bool { code == EBADR }

  package static func check(_ code: Int32) throws(BusProblem) {
    if code < 0 { throw BusProblem(code: -code) }
  }
}
