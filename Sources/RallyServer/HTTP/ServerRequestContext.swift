import Hummingbird
import NIOCore

struct ServerRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The client's address; nil on a Unix socket.
  var clientAddress: ClientAddress?

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    clientAddress = ClientAddress(source.channel.remoteAddress)
  }
}
