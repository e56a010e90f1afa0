import NIOCore

/// An address of IPv4 or IPv6, to be counted and compared.
struct ClientAddress: Hashable, Sendable {
  /// The 16 bytes of IPv6; IPv4 stands in them as `::ffff:a.b.c.d`.
  private let high: UInt64
  private let low: UInt64

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// nil for what is no address of the internet, such as a Unix socket.
  init?(_ address: SocketAddress?) {
    switch address {
    case .v4(let address):
      self.init(
        high: 0,
        low: 0xffff_0000_0000 | UInt64(UInt32(bigEndian: address.address.sin_addr.s_addr)))
    case .v6(let address):
      let bytes = withUnsafeBytes(of: address.address.sin6_addr, Array.init)
      func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
      self.init(high: number(0..<8), low: number(8..<16))
    default: return nil
    }
  }

  /// - Parameter text: A literal without brackets or port.
  init?(_ text: some StringProtocol) {
    guard let address = try? SocketAddress(ipAddress: String(text), port: 0) else { return nil }
    self.init(address)
  }

  private var isVersion4: Bool { high == 0 && low >> 32 == 0xffff }

  var isLoopback: Bool {
    isVersion4 ? (low >> 24) & 0xff == 127 : high == 0 && low == 1
  }

  /// Whoever is counted as one: an address of IPv4, or the 64 bits of an IPv6 network, of which a
  /// single household or machine has all the addresses.
  var group: ClientAddress { isVersion4 ? self : ClientAddress(high: high, low: 0) }
}
