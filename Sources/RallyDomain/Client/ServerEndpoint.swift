import Foundation
import RallyWire

/// Where a server listens.
public enum ServerEndpoint: Hashable, Sendable, CustomStringConvertible {
  case url(ServerURL)
  /// A Unix socket of this machine, as the embedded server uses.
  case unixSocket(path: String)

  public var description: String {
    switch self {
    case .url(let url): url.description
    case .unixSocket(let path): "unix:\(path)"
    }
  }

  /// `Host` header of a request to it.
  var host: String {
    switch self {
    case .url(let url): url.authority
    case .unixSocket: "localhost"
    }
  }

  /// What stands before every path of the protocol; empty, or like `/rally`.
  var pathPrefix: String {
    switch self {
    case .url(let url): url.path
    case .unixSocket: ""
    }
  }
}

/// An http or https address, checked and in one spelling.
public struct ServerURL: Hashable, Sendable, Codable, CustomStringConvertible {
  public let isSecure: Bool
  /// A name or an address, IPv6 without brackets.
  public let host: String
  public let port: Int
  /// Without a slash at its end; empty for the root.
  public let path: String

  /// Reads what a person typed; `https` is assumed where no scheme is written, except for this
  /// machine itself.
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public init(_ text: String) throws(FieldProblem) {
    var typed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if !typed.contains("://") {
      let isLocal = typed.hasPrefix("localhost") || typed.hasPrefix("127.0.0.1")
      typed = (isLocal ? "http://" : "https://") + typed
    }
    guard let parts = URLComponents(string: typed), let scheme = parts.scheme?.lowercased(),
      scheme == "http" || scheme == "https", let host = parts.host, !host.isEmpty,
      parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
      (1...65_535).contains(parts.port ?? 1)
    else {
      throw FieldProblem(
        field: .server, advice: "Write an address like https://rally.example.org.")
    }
    isSecure = scheme == "https"
    self.host = host.lowercased().trimmingCharacters(in: ["[", "]"])
    port = parts.port ?? (isSecure ? 443 : 80)
    var path = parts.percentEncodedPath
    while path.hasSuffix("/") { path.removeLast() }
    self.path = path
  }

  private var defaultPort: Int { isSecure ? 443 : 80 }

  /// Host and port as a URL and a `Host` header write them; an IPv6 address stands in brackets.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == defaultPort ? name : "\(name):\(port)"
  }

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

/// A server that can be asked: where it listens, and the key that every request carries.
public struct ServerAddress: Hashable, Sendable {
  public var endpoint: ServerEndpoint
  public var key: String

  public init(endpoint: ServerEndpoint, key: String) {
    self.endpoint = endpoint
    self.key = key
  }
}
