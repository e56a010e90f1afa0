/// Where gpsd listens.
public struct GPSDAddress: Hashable, Sendable, CustomStringConvertible {
  /// Where gpsd listens by default.
  public static let standard = GPSDAddress(host: "127.0.0.1", port: 2947)

  /// A name or an address; an IPv6 address without brackets.
  public let host: String
  public let port: Int

  private init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Parses `127.0.0.1:2947`, `[::1]:2947` or a host name; without a port it is 2947.
  ///
  /// - Returns: nil for anything else.
  public init?(_ text: String) {
    var host = Substring(text)
    var port: Substring?
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":"), host.contains(":") else { return nil }
      port = rest.isEmpty ? nil : rest.dropFirst()
    } else if let colon = text.firstIndex(of: ":") {
      host = text[..<colon]
      port = text[text.index(after: colon)...]
    }
    let isName = host.utf8.allSatisfy {
      (97...122).contains($0 | 32) || (48...58).contains($0) || [45, 46].contains($0)
    }
    guard !host.isEmpty, host.utf8.count <= 253, isName else { return nil }
    if let port {
      guard let number = UInt16(port), number > 0, port.first != "+" else { return nil }
      self.port = Int(number)
    } else {
      self.port = Self.standard.port
    }
    self.host = String(host)
  }

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
