import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import RallyRules
import RallyStorage
import RallyWire
import Synchronization

/// The servers behind the listeners for clients and for the operator.
extension RallyServer {
  func server(
    for listener: ServerConfiguration.Listener, on network: MultiThreadedEventLoopGroup,
    connections: ConnectionRegistry, onOpen: @escaping @Sendable (BoundAddress) -> Void
  ) throws -> any AcceptingServer {
    let responder = services.router(for: listener).buildResponder()
    let logger = logger
    let handshake = RealtimeHandshake(gateway: services.gateway)
    let channel = WebSocketUpgradeChannel(
      responder: { [services, proxies] request, writer, channel in
        let claims = services.gateway.verified(request)
        if let refusal = try services.refusal(
          of: request, by: try? claims.get(), on: channel, among: connections)
        {
          try await writer.write(response: refusal.head, body: refusal.body)
          return channel.close(promise: nil)
        }
        var context = ServerRequestContext(source: .init(channel: channel, logger: logger))
        context.claims = claims
        context.clientAddress = proxies.client(
          peer: context.clientAddress, forwardedFor: request.headers[.forwardedFor])
        // Guests are counted as persons.
        if connections.isDoor(channel), case .token = services.gateway.bearer(request) {
          context.clientAddress = nil
        }
        let response = try await services.respond(to: request, with: responder, context)
        try await writer.write(response: response.head, body: response.body)
      },
      connections: connections, webSocketLimiter: services.webSocketLimiter,
      limits: configuration.httpLimits,
      budgets: budgets,
      certificate: certificate,
      socketIdleTimeout: .init(configuration.socketIdleTimeout),
      accept: { (try? handshake.serializer(of: $0)) != nil },
      client: { [proxies, services] channel, head in
        if services.isDoor(head.headers.first(name: SSHDoorPath.header)) {
          connections.enterDoor(channel)
          return .door
        }
        let address = proxies.client(
          peer: ClientAddress(channel.remoteAddress),
          forwardedFor: head.headers["x-forwarded-for"].joined(separator: ","))
        return proxies.contains(address) ? nil : address
      },
      socket: { [hub, metrics, budgets, closeTimeout = configuration.closeTimeout] channel, head in
        RealtimeSocket(
          channel: channel, hub: hub, serializer: try handshake.serializer(of: head),
          budgets: budgets, closeTimeout: closeTimeout, metrics: metrics)
      })
    return try accepting(listener, as: channel, on: network, onOpen: onOpen)
  }

  /// The server for `/metrics`. Its connections are counted separately, so they do not prevent the
  /// idle exit.
  func operatorServer(
    on network: MultiThreadedEventLoopGroup, counting connections: ConnectionRegistry,
    onOpen: @escaping @Sendable () -> Void
  ) throws -> ((any AcceptingServer)?, ConnectionRegistry) {
    let own = ConnectionRegistry(budgets: budgets, patience: nil) {}
    guard let listener = configuration.metrics else { return (nil, own) }
    let responder = services.operatorRouter { [self] in
      metrics.text(await gauges(connections: connections.count))
    }.buildResponder()
    let channel = WebSocketUpgradeChannel(
      responder: { [services, logger] request, writer, channel in
        let context = ServerRequestContext(source: .init(channel: channel, logger: logger))
        let response = try await services.respond(to: request, with: responder, context)
        try await writer.write(response: response.head, body: response.body)
      },
      connections: own, webSocketLimiter: services.webSocketLimiter,
      limits: configuration.httpLimits,
      budgets: budgets,
      certificate: nil,
      socketIdleTimeout: .init(configuration.socketIdleTimeout),
      accept: { _ in false }, client: { _, _ in nil },
      socket: { _, _ in throw ChannelError.operationUnsupported })
    let server = try accepting(listener, as: channel, on: network) { [self] address in
      metricsAddress.withLock { $0 = address }
      onOpen()
    }
    return (server, own)
  }

  private func gauges(connections: Int) async -> ServerMetrics.Gauges {
    let counts = await hub.counts
    let waiting = services.waiting
    var bytes: Int?
    if case .folder(let path) = configuration.database {
      bytes = ProcessFacts.size(of: [path + "/rally.db", path + "/rally.db-wal"])
    }
    return ServerMetrics.Gauges(
      isReady: services.readiness.isReady, connections: connections, sockets: counts.sockets,
      channels: counts.channels, people: counts.people, waitingWrites: waiting.writes,
      waitingHashes: waiting.hashes, databaseBytes: bytes,
      residentBytes: ProcessFacts.residentBytes, budgetRefusals: budgets.refusals)
  }

  private func accepting(
    _ listener: ServerConfiguration.Listener, as setup: WebSocketUpgradeChannel,
    on network: MultiThreadedEventLoopGroup, onOpen: @escaping @Sendable (BoundAddress) -> Void
  ) throws -> any AcceptingServer {
    let address: BindAddress
    switch listener {
    case .tcp(let host, let port): address = .hostname(host, port: port)
    case .unixSocket(let path):
      try DataFolder.requirePrivate((path as NSString).deletingLastPathComponent)
      address = .unixDomainSocket(path: path)
    case .inherited(let descriptor):
      return InheritedServer(
        descriptor: descriptor, childChannelSetup: setup,
        onServerRunning: { channel in
          let local = channel.localAddress
          onOpen(
            local?.pathname.map(BoundAddress.unixSocket(path:))
              ?? .tcp(
                host: local?.ipAddress ?? "", port: local?.port ?? 0,
                isSecure: setup.certificate != nil))
        }, eventLoopGroup: network, logger: logger)
    }
    return Server(
      childChannelSetup: setup, configuration: .init(address: address),
      onServerRunning: { [weak self] channel in
        switch listener {
        case .tcp(let host, let port):
          onOpen(
            .tcp(
              host: host, port: channel.localAddress?.port ?? port,
              isSecure: setup.certificate != nil))
        case .unixSocket(let path):
          chmod(path, 0o600)
          self?.socketFiles.withLock { $0[path] = FileIdentity(path) }
          onOpen(.unixSocket(path: path))
        case .inherited: break
        }
      }, eventLoopGroup: network, logger: logger)
  }
}
