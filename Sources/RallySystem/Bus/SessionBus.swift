import CSystemdBus
import RallyText
import Synchronization

/// Desktop notifications over the D-Bus session bus.
///
/// Calls may block for two seconds and more, so use a dedicated thread. The connection stays open,
/// since some desktops close a program's notifications when its connection ends.
package final class SessionBus: Sendable {
  private struct State: ~Copyable {
    var connection: OpaquePointer?
    /// The server's capabilities; nil until they are fetched.
    var capabilities: Set<String>?
    /// The id of the last notification; 0 for none.
    var shown: UInt32 = 0
  }

  package let address: String
  private let state = Mutex(State())

  package init(address: String) { self.address = address }

  deinit { state.withLock { rally_bus_close($0.connection) } }

  /// The address of the user's session bus. Nil if there is none, and over SSH, where the desktop
  /// is not the one that the user sits at.
  package static func address(in environment: [String: String]) -> String? {
    guard environment["SSH_CONNECTION", default: ""].isEmpty else { return nil }
    return BusAddress.session(in: environment)
  }

  /// Shows a notification that replaces the previous one.
  ///
  /// - Parameter text: Cleaned for display.
  /// - Throws: `BusProblem` if the call failed.
  package func show(title: String, text: String) throws(BusProblem) {
    try connected { state throws(BusProblem) in
      if state.capabilities == nil { state.capabilities = try Self.capabilities(state.connection) }
      let hasMarkup = state.capabilities?.contains("body-markup") == true
      var number: UInt32 = 0
      try BusProblem.check(
        rally_bus_notify(
          state.connection, "Rally", state.shown, title, hasMarkup ? text.escapedForMarkup : text,
          "im.received", 1, &number))
      state.shown = number
    }
  }

  /// Closes the last notification, if there is one.
  ///
  /// - Throws: `BusProblem` if the call failed.
  package func close() throws(BusProblem) {
    try state.withLock { state throws(BusProblem) in
      guard state.shown != 0, state.connection != nil else { return }
      let number = state.shown
      state.shown = 0
      try BusProblem.check(rally_bus_close_notification(state.connection, number))
    }
  }

  /// The name and capabilities of the notification server, for a report.
  ///
  /// - Throws: `BusProblem` if the call failed.
  package func server() throws(BusProblem) -> (name: String, capabilities: Set<String>) {
    var name = ""
    var capabilities: Set<String> = []
    try connected { state throws(BusProblem) in
      var buffer = [CChar](repeating: 0, count: 128)
      try BusProblem.check(rally_bus_server_name(state.connection, &buffer, buffer.count))
      name = Self.text(buffer)
      capabilities = try Self.capabilities(state.connection)
    }
    return (name, capabilities)
  }

  /// Runs `act` with an open connection. After an error the connection is closed, and the next call
  /// opens a new one.
  private func connected(_ act: (inout State) throws(BusProblem) -> Void) throws(BusProblem) {
    try state.withLock { state throws(BusProblem) in
      if state.connection == nil {
        try BusProblem.check(rally_bus_open(address, &state.connection))
      }
      do throws(BusProblem) {
        try act(&state)
      } catch {
        rally_bus_close(state.connection)
        state.connection = nil
        state.capabilities = nil
        throw error
      }
    }
  }

  private static func capabilities(_ connection: OpaquePointer?) throws(BusProblem) -> Set<String> {
    var buffer = [CChar](repeating: 0, count: 2048)
    try BusProblem.check(rally_bus_capabilities(connection, &buffer, buffer.count))
    return Set(text(buffer).split(separator: "\n").map(String.init))
  }

  private static func text(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
