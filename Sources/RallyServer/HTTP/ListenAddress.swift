import RallyRules

/// Properties of a listening address.
public enum ListenAddress {
  /// Whether only this machine can reach it: `localhost`, `127.0.0.0/8` or `::1`.
  ///
  /// Other names are not resolved, since their address can change.
  public static func isLoopback(_ host: String) -> Bool {
    host == "localhost"
      || ClientAddress(host.trimmingPrefix("[").prefix { $0 != "]" })?.isLoopback == true
  }

  /// Whether this is an address and not a name.
  public static func isLiteral(_ text: String) -> Bool { ClientAddress(text) != nil }
}
