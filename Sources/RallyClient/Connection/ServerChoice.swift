import RallySystem

/// Which server a profile talks to.
public enum ServerChoice: Hashable, Sendable {
  /// The one of this machine, started when it is needed.
  case embedded
  /// - Parameters:
  ///   - allowsPlain: Whether http is used on a public network too.
  ///   - others: Further addresses of the same server, for when one does not answer. The session
  ///     and everything else belongs to the first one's name.
  case remote(ServerURL, key: String, allowsPlain: Bool = false, others: [ServerURL] = [])

  /// Whether a network is needed to get there.
  public var reach: ServerReach {
    switch self {
    case .embedded: .thisMachine
    case .remote(let url, _, _, _):
      ["localhost", "127.0.0.1", "::1", "[::1]"].contains(url.host) ? .thisMachine : .network
    }
  }

  /// The public address; nil for the embedded server.
  public var url: ServerURL? { if case .remote(let url, _, _, _) = self { url } else { nil } }

  /// What tells it from other servers; for files and for people.
  public var name: String {
    switch self {
    case .embedded: "embedded"
    case .remote(let url, _, _, _): url.description
    }
  }

  /// How the server is found each time that it must be.
  package func prepare(
    starting embedded: EmbeddedServerService?
  ) -> @Sendable () async throws -> ServerAddress {
    switch self {
    case .remote(let first, let key, let allowsPlain, let others):
      let ring = AddressRing([first] + others)
      return {
        let url = ring.next()
        if !allowsPlain { try await PlainHTTP.require(privacyOf: url) }
        return ServerAddress(endpoint: .url(url), key: key)
      }
    case .embedded:
      return {
        guard let embedded else { throw NetworkError.notConfigured }
        do {
          return try await embedded.prepare()
        } catch let error as EmbeddedServerError {
          throw NetworkError.embedded(error)
        }
      }
    }
  }
}
