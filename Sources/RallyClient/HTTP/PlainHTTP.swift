import Dispatch
import Glibc
import NIOCore
import NIOPosix

/// Restricts plain http to private networks, since everybody on the way can read it.
public enum PlainHTTP {
  /// Allows https, and http to this machine and to private networks only.
  ///
  /// A name is resolved, and all its addresses must be private.
  ///
  /// - Throws: `NetworkError.plainText` for a public address, `.unreachable` or `.timedOut` for a
  ///   name
  ///   that cannot be looked up, or `CancellationError`.
  public static func require(privacyOf url: ServerURL) async throws {
    guard !url.isSecure, url.host != "localhost" else { return }
    for address in try await addresses(of: url.host) where !isPrivate(address) {
      throw NetworkError.plainText(host: url.host)
    }
  }

  /// Whether a host is an address of such a network; nothing is looked up.
  package static func isPrivateLiteral(_ host: String) -> Bool {
    (try? SocketAddress(ipAddress: host, port: 0)).map(isPrivate) ?? false
  }

  /// Loopback, link-local, private (RFC 1918, RFC 4193) and shared (RFC 6598) addresses; the
  /// unspecified address is this machine.
  static func isPrivate(_ address: SocketAddress) -> Bool {
    switch address {
    case .unixDomainSocket: return true
    case .v4(let address):
      // After family and port.
      return isPrivate(v4: withUnsafeBytes(of: address.address) { Array($0[4..<8]) })
    case .v6(let address):
      // After family, port and flow.
      let bytes = withUnsafeBytes(of: address.address) { Array($0[8..<24]) }
      let isMapped = bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
      if isMapped { return isPrivate(v4: Array(bytes.suffix(4))) }
      let isThisMachine = bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] <= 1
      let isLinkLocal = bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
      let isUniqueLocal = bytes[0] & 0xFE == 0xFC
      return isThisMachine || isLinkLocal || isUniqueLocal
    }
  }

  private static func isPrivate(v4 bytes: [UInt8]) -> Bool {
    switch (bytes[0], bytes[1]) {
    case (127, _), (10, _), (192, 168), (169, 254): true
    case (172, let second): (16...31).contains(second)
    case (100, let second): (64...127).contains(second)
    default: bytes == [0, 0, 0, 0]
    }
  }

  // MARK: - Names

  /// The system's resolver blocks its thread, so it gets a queue of its own instead of a global one
  /// (see `DispatchSleep`).
  private static let resolver = DispatchQueue(label: "rally.resolver")

  /// How long a look-up may take.
  private static let patience: Duration = .seconds(10)

  private static func addresses(of host: String) async throws -> [SocketAddress] {
    if let literal = try? SocketAddress(ipAddress: host, port: 0) { return [literal] }
    let (answers, answer) = AsyncStream.makeStream(of: [SocketAddress].self)
    resolver.async {
      answer.yield(lookUp(host))
      answer.finish()
    }
    let found = try await Deadline.within(patience) {
      for await answer in answers { return answer }
      throw CancellationError()
    }
    guard !found.isEmpty else { throw NetworkError.unreachable("name lookup failed") }
    return found
  }

  private static func lookUp(_ host: String) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
    defer { freeaddrinfo(first) }
    var addresses: [SocketAddress] = []
    var next = first
    while let info = next {
      if let address = info.pointee.ai_addr {
        switch Int32(info.pointee.ai_family) {
        case AF_INET:
          address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            addresses.append(SocketAddress($0.pointee))
          }
        case AF_INET6:
          address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
            addresses.append(SocketAddress($0.pointee))
          }
        default: break
        }
      }
      next = info.pointee.ai_next
    }
    return addresses
  }
}
