import Hummingbird
import NIOCore

/// What a handler knows of a request beyond the request itself.
struct ServerRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The client's IP address; nil on a Unix socket.
  let clientAddress: String?

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    clientAddress =
      switch source.channel.remoteAddress {
      case .v4, .v6: source.channel.remoteAddress?.ipAddress
      default: nil
      }
  }
}
