import RallyRules

/// The proxies whose `X-Forwarded-For` header is trusted.
struct TrustedProxies: Sendable {
  private let addresses: Set<ClientAddress>

  /// - Parameter addresses: IPv4 or IPv6 literals; others are ignored.
  init(_ addresses: [String]) {
    self.addresses = Set(addresses.compactMap { ClientAddress($0) })
  }

  func contains(_ address: ClientAddress?) -> Bool {
    address.map(addresses.contains) ?? false
  }

  /// The client's address: the peer, or, behind a trusted proxy, the last address in
  /// `X-Forwarded-For` that is no trusted proxy. Clients can forge the addresses before it.
  func client(peer: ClientAddress?, forwardedFor header: String?) -> ClientAddress? {
    guard contains(peer), let header else { return peer }
    for part in header.split(separator: ",").reversed() {
      guard let address = TrustedProxies.address(part) else { return peer }
      if !contains(address) { return address }
    }
    return peer
  }

  /// Accepts brackets and a port, as some proxies write them.
  private static func address(_ part: Substring) -> ClientAddress? {
    let text = part.filter { $0 != " " && $0 != "\t" }
    if let address = ClientAddress(text) { return address }
    if text.hasPrefix("[") { return ClientAddress(text.dropFirst().prefix { $0 != "]" }) }
    return ClientAddress(text.prefix { $0 != ":" })
  }
}
