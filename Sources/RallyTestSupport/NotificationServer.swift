import CNotificationServer
import Foundation

/// A private D-Bus session bus with a notification server that records what a desktop would show.
public final class NotificationServer: Sendable {
  public struct Note: Hashable, Sendable {
    public var application: String
    public var summary: String
    public var body: String
    public var category: String
    public var replaces: UInt32
    public var id: UInt32
    public var urgency: UInt8
  }

  private let bus: PrivateBus
  // Safe: the C code guards its state with a lock, and it is stopped once.
  nonisolated(unsafe) private let server: OpaquePointer

  /// - Parameter capabilities: The reported capabilities, such as `body-markup`.
  /// - Throws: `ProcessFailure` if `dbus-daemon` or libsystemd is missing.
  public init(capabilities: [String] = ["body", "body-markup"]) async throws {
    bus = try await PrivateBus()
    var server: OpaquePointer?
    let code = cns_start(bus.address, capabilities.joined(separator: ","), &server)
    guard code == 0, let server else {
      throw ProcessFailure("no notification server: \(String(cString: strerror(-code)))")
    }
    self.server = server
  }

  deinit {
    cns_stop(server)
    bus.end()
  }

  public var address: String { bus.address }

  /// Kills the bus, which breaks all connections.
  public func end() { bus.end() }

  /// All notifications, in order.
  public var notes: [Note] {
    (0..<Int(cns_count(server))).compactMap { index in
      var note = cns_note()
      guard cns_get(server, Int32(index), &note) == 0 else { return nil }
      return Note(
        application: Self.text(note.application), summary: Self.text(note.summary),
        body: Self.text(note.body), category: Self.text(note.category), replaces: note.replaces,
        id: note.id, urgency: note.urgency)
    }
  }

  /// The id of the notification that was closed last.
  public var closed: UInt32 { cns_closed(server) }

  private static func text<Buffer>(_ buffer: Buffer) -> String {
    withUnsafeBytes(of: buffer) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
