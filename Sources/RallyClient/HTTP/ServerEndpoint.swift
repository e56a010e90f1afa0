import Dispatch
import FoundationEssentials
import Glibc
import NIOCore
import NIOPosix
import RallyText
import RallyWire

/// Where a server listens.
public enum ServerEndpoint: Hashable, Sendable, CustomStringConvertible {
  case url(ServerURL)
  /// A Unix socket on this machine, as the embedded server uses.
  case unixSocket(path: String)

  public var description: String {
    switch self {
    case .url(let url): url.description
    case .unixSocket(let path): "unix:\(path)"
    }
  }

  /// The `Host` header of a request to it.
  var host: String {
    switch self {
    case .url(let url): url.authority
    case .unixSocket: "localhost"
    }
  }

  /// The prefix of every path; empty, or such as `/rally`.
  var pathPrefix: String {
    switch self {
    case .url(let url): url.path
    case .unixSocket: ""
    }
  }
}

/// A validated and normalized http or https URL.
public struct ServerURL: Hashable, Sendable, Codable, CustomStringConvertible {
  public let isSecure: Bool
  /// A name or an address, IPv6 without brackets.
  public let host: String
  public let port: Int
  /// Without a slash at its end; empty for the root.
  public let path: String

  /// Parses input; without a scheme `https` is assumed, except for this machine.
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public init(_ text: String) throws(FieldProblem) {
    var typed = text.trimmed
    if !typed.contains("://") {
      let isLocal = typed.hasPrefix("localhost") || typed.hasPrefix("127.0.0.1")
      typed = (isLocal ? "http://" : "https://") + typed
    }
    guard let parts = URLComponents(string: typed), let scheme = parts.scheme?.lowercased(),
      scheme == "http" || scheme == "https", let host = parts.host, Self.isHost(host),
      parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
      (1...65_535).contains(parts.port ?? 1)
    else {
      throw FieldProblem(
        field: .server, advice: "Write an address like https://rally.example.org.")
    }
    isSecure = scheme == "https"
    self.host = host.lowercased().filter { $0 != "[" && $0 != "]" }
    port = parts.port ?? (isSecure ? 443 : 80)
    var path = parts.percentEncodedPath
    while path.hasSuffix("/") { path.removeLast() }
    self.path = path
  }

  /// A host that this program names itself, over TLS.
  package init(secureHost host: String, path: String = "") {
    (isSecure, self.host, port, self.path) = (true, host, 443, path)
  }

  /// Parses the addresses of one server, separated by commas: a community may have several.
  ///
  /// - Throws: `FieldProblem` for the first that is none.
  /// - Returns: At least one, each once.
  public static func list(_ text: String) throws(FieldProblem) -> [ServerURL] {
    var urls: [ServerURL] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let url = try ServerURL(String(part))
      if !urls.contains(url) { urls.append(url) }
    }
    return urls
  }

  /// Whether it may be a name or an address. Names in other scripts are written as `xn--…`.
  static func isHost(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0.isAlphanumeric(or: "-._~:[]%") }
  }

  /// The same host and port with http in place of https, or the other way round.
  package var otherScheme: ServerURL? {
    try? ServerURL("\(isSecure ? "http" : "https")://\(writtenHost):\(port)\(path)")
  }

  private var defaultPort: Int { isSecure ? 443 : 80 }

  /// The host as in a URL: an IPv6 address is in brackets.
  private var writtenHost: String { host.contains(":") ? "[\(host)]" : host }

  /// Host and port as in a URL and a `Host` header.
  var authority: String { port == defaultPort ? writtenHost : "\(writtenHost):\(port)" }

  public var description: String {
    "\(isSecure ? "https" : "http")://\(authority)\(path)"
  }

  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// A server's endpoint and the API key of every request.
public struct ServerAddress: Hashable, Sendable {
  public var endpoint: ServerEndpoint
  public var key: String

  public init(endpoint: ServerEndpoint, key: String) {
    self.endpoint = endpoint
    self.key = key
  }
}

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
