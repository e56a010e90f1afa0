/// The proxies whose word on who is asking is taken, and reading that word.
struct TrustedProxies: Sendable {
  private let addresses: Set<ClientAddress>

  /// - Parameter addresses: Literals of IPv4 or IPv6; others are passed over.
  init(_ addresses: [String]) {
    self.addresses = Set(addresses.compactMap { ClientAddress($0) })
  }

  func contains(_ address: ClientAddress?) -> Bool {
    address.map(addresses.contains) ?? false
  }

  /// Who is asking: the peer, or, where that is a trusted proxy, the last address of
  /// `X-Forwarded-For` that no trusted proxy has. What stands before it anybody may have written.
  func client(peer: ClientAddress?, forwardedFor header: String?) -> ClientAddress? {
    guard contains(peer), let header else { return peer }
    for part in header.split(separator: ",").reversed() {
      guard let address = TrustedProxies.address(part) else { return peer }
      if !contains(address) { return address }
    }
    return peer
  }

  /// Also in brackets, and with a port behind it, as some proxies write.
  private static func address(_ part: Substring) -> ClientAddress? {
    let text = part.filter { $0 != " " && $0 != "\t" }
    if let address = ClientAddress(text) { return address }
    if text.hasPrefix("[") { return ClientAddress(text.dropFirst().prefix { $0 != "]" }) }
    return ClientAddress(text.prefix { $0 != ":" })
  }
}
