import FoundationEssentials
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
