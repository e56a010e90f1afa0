import RallyWire

/// Times in the forms in which apps write them.
enum PhoneTime {
  /// - Parameter seconds: Since 1970.
  /// - Returns: nil for what is no time within some thousand years.
  static func time(seconds: Double?) -> WireTime? {
    guard let seconds, seconds.isFinite, abs(seconds) < 1e11 else { return nil }
    return WireTime(microseconds: Int64((seconds * 1_000_000).rounded()))
  }

  /// Seconds or milliseconds since 1970, RFC 3339, or `yyyy-MM-dd HH:mm:ss` in UTC.
  static func time(_ text: String) -> WireTime? {
    if let number = Double(text) {
      // Traccar's rule: what is no 32-bit number of seconds is in milliseconds.
      return time(seconds: abs(number) < 2_147_483_647 ? number : number / 1000)
    }
    return WireTime(text) ?? WireTime(text + "Z")
  }
}
