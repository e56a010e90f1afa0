import Hummingbird
import NIOCore

struct ServerRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The client's address; nil on a Unix socket.
  var clientAddress: ClientAddress?
  /// What the request's token says, once it was verified; see `Gateway.claims`.
  var claims: Result<AccessClaims?, TokenProblem>?
  /// Succeeds when the connection is closed.
  let closed: EventLoopFuture<Void>

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    clientAddress = ClientAddress(source.channel.remoteAddress)
    closed = source.channel.closeFuture
  }
}
