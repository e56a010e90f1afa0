/// An app that sends a phone's positions to a server of one's own.
public enum PhoneApp: String, Hashable, Sendable, Codable, CaseIterable {
  case owntracks, overland, traccar, gpslogger

  /// Where the app posts to, below the server's address.
  public var path: String { "/phone/\(rawValue)" }
}
