import Hummingbird
import NIOCore
import RallyRules
import RallyStorage

struct ServerRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The client's address; nil on a Unix socket.
  var clientAddress: ClientAddress?
  /// What the request's token says, with PostgREST's tolerance; nil without a token. It is verified
  /// once, before all routes.
  var claims: Result<AccessClaims?, TokenProblem> = .success(nil)
  /// Succeeds when the connection is closed.
  let closed: EventLoopFuture<Void>

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    clientAddress = ClientAddress(source.channel.remoteAddress)
    closed = source.channel.closeFuture
  }

  /// Who asks, where a token that has expired counts no more; nil without a token.
  ///
  /// - Throws: `TokenProblem`.
  func currentClaims() throws(TokenProblem) -> AccessClaims? {
    guard let claims = try claims.get() else { return nil }
    try claims.requireTime(skew: 0)
    return claims
  }
}
