import CSystemdBus
import Foundation
import Synchronization

/// The desktop's notifications, over the session bus of D-Bus.
///
/// Every call blocks for up to two seconds and more; whoever calls does it on a thread of its own. The
/// connection stays open, since some desktops take away what a program showed when its connection
/// ends.
final class SessionBus: Sendable {
  /// Why the bus did not do something.
  struct Problem: Error, Hashable {
    /// Of errno, positive.
    var code: Int32

    var sentence: String {
      code == ENOSYS
        ? "libsystemd.so.0 is not there, which speaks to the session bus"
        : String(cString: strerror(code))
    }
  }

  private struct State: ~Copyable {
    var connection: OpaquePointer?
    /// What the server said that it can do; nil before it was asked.
    var capabilities: Set<String>?
    /// The number of what was shown last; 0 before.
    var shown: UInt32 = 0
  }

  let address: String
  private let state = Mutex(State())

  init(address: String) { self.address = address }

  deinit { state.withLock { rally_bus_close($0.connection) } }

  /// Where the session bus of this machine's user listens; nil where there is none, and over SSH: the
  /// desktop there is not the one that the person sits at.
  static func address(in environment: [String: String]) -> String? {
    guard environment["SSH_CONNECTION", default: ""].isEmpty else { return nil }
    if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
    guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/"),
      FileManager.default.fileExists(atPath: "\(folder)/bus")
    else { return nil }
    return "unix:path=\(folder)/bus"
  }

  /// Shows a text in place of the one before.
  ///
  /// - Parameter text: Clean.
  func show(title: String, text: String) throws(Problem) {
    try connected { state throws(Problem) in
      if state.capabilities == nil { state.capabilities = try Self.capabilities(state.connection) }
      let hasMarkup = state.capabilities?.contains("body-markup") == true
      var number: UInt32 = 0
      try Self.check(
        rally_bus_notify(
          state.connection, "Rally", state.shown, title, hasMarkup ? Self.escaped(text) : text,
          "im.received", 1, &number))
      state.shown = number
    }
  }

  /// Takes away what was shown last, if it is still there.
  func close() throws(Problem) {
    try state.withLock { state throws(Problem) in
      guard state.shown != 0, state.connection != nil else { return }
      let number = state.shown
      state.shown = 0
      try Self.check(rally_bus_close_notification(state.connection, number))
    }
  }

  /// The name of the server and what it can do, for a report.
  func server() throws(Problem) -> (name: String, capabilities: Set<String>) {
    var name = ""
    var capabilities: Set<String> = []
    try connected { state throws(Problem) in
      var buffer = [CChar](repeating: 0, count: 128)
      try Self.check(rally_bus_server_name(state.connection, &buffer, buffer.count))
      name = Self.text(buffer)
      capabilities = try Self.capabilities(state.connection)
    }
    return (name, capabilities)
  }

  /// A connection that broke is opened anew at the next call.
  private func connected(_ act: (inout State) throws(Problem) -> Void) throws(Problem) {
    try state.withLock { state throws(Problem) in
      if state.connection == nil {
        try Self.check(rally_bus_open(address, &state.connection))
      }
      do throws(Problem) {
        try act(&state)
      } catch {
        rally_bus_close(state.connection)
        state.connection = nil
        state.capabilities = nil
        throw error
      }
    }
  }

  private static func check(_ code: Int32) throws(Problem) {
    if code < 0 { throw Problem(code: -code) }
  }

  private static func capabilities(_ connection: OpaquePointer?) throws(Problem) -> Set<String> {
    var buffer = [CChar](repeating: 0, count: 2048)
    try check(rally_bus_capabilities(connection, &buffer, buffer.count))
    return Set(text(buffer).split(separator: "\n").map(String.init))
  }

  private static func text(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Text as markup of the specification: nothing in it is a tag or an entity.
  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
