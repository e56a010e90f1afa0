import Hummingbird
import NIOCore

/// What a handler knows of a request beyond the request itself.
struct ServerRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// Who is asking; nil on a Unix socket.
  var clientAddress: ClientAddress?

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    clientAddress = ClientAddress(source.channel.remoteAddress)
  }
}
