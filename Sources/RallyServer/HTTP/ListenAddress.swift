/// What is to be known of an address before a server listens on it.
public enum ListenAddress {
  /// Whether only this machine can reach it: `localhost`, `127.0.0.0/8` or `::1`.
  ///
  /// Another name is not looked up: what it means can change.
  public static func isLoopback(_ host: String) -> Bool {
    host == "localhost"
      || ClientAddress(host.trimmingPrefix("[").prefix { $0 != "]" })?.isLoopback == true
  }

  /// Whether this is an address and not a name.
  public static func isLiteral(_ text: String) -> Bool { ClientAddress(text) != nil }
}
