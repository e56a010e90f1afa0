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

/// A server that accepts connections until it is shut down.
protocol AcceptingServer: Sendable {
  func run() async throws
  /// Closes the listener, and returns when all connections have finished and closed.
  func shutdownGracefully() async throws
}

extension Server: AcceptingServer {}

/// Accepts connections on a socket that was opened before the program was started, which
/// Hummingbird's own server cannot.
actor InheritedServer: AcceptingServer {
  private let descriptor: NIOBSDSocket.Handle
  private let childChannelSetup: WebSocketUpgradeChannel
  private let group: any EventLoopGroup
  private let logger: Logger
  private let onRunning: @Sendable (any Channel) async -> Void
  private var listener: (any Channel)?
  private var isEnding = false

  init(
    descriptor: Int32, childChannelSetup: WebSocketUpgradeChannel,
    onServerRunning: @escaping @Sendable (any Channel) async -> Void,
    eventLoopGroup: any EventLoopGroup, logger: Logger
  ) {
    self.descriptor = descriptor
    self.childChannelSetup = childChannelSetup
    onRunning = onServerRunning
    group = eventLoopGroup
    self.logger = logger
  }

  func run() async throws {
    let (setup, logger) = (childChannelSetup, logger)
    let accepting = try await ServerBootstrap(group: group)
      .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
      .bind(descriptor) { channel in setup.setup(channel: channel, logger: logger) }
    guard !isEnding else { return try await accepting.channel.close() }
    listener = accepting.channel
    await onRunning(accepting.channel)
    await withDiscardingTaskGroup { tasks in
      do {
        try await accepting.executeThenClose { connections in
          for try await connection in connections {
            tasks.addTask { await setup.handle(value: connection, logger: logger) }
          }
        }
      } catch {
        logger.error("accepting: \(error)")
      }
    }
  }

  func shutdownGracefully() async throws {
    isEnding = true
    try? await listener?.close()
    await childChannelSetup.connections.drain()
  }
}

/// Why a server cannot listen, as a sentence for the operator.
public struct ListenFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Reason: Hashable, Sendable {
    /// Another program listens there.
    case taken
    /// The address does not belong to this machine.
    case foreign
    /// The name cannot be resolved.
    case unknown
    /// Permission denied, as for ports below 1024.
    case forbidden
    case other(String)
  }

  public var listener: ServerConfiguration.Listener
  public var reason: Reason

  public var description: String {
    switch reason {
    case .taken: "Another program listens on \(place)."
    case .foreign: "\(place) is no address of this machine."
    case .unknown: "There is no address for the name in \(place)."
    case .forbidden: "The system does not allow to listen on \(place)."
    case .other(let words): "Nobody can listen on \(place): \(words)."
    }
  }

  private var place: String {
    switch listener {
    case .tcp(let host, let port): "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    case .unixSocket(let path): path
    case .inherited(let descriptor): "socket \(descriptor)"
    }
  }

  /// The `ListenFailure` for a listener's error; other errors are returned unchanged.
  static func explained(
    _ error: any Error, on listener: ServerConfiguration.Listener
  ) -> any Error {
    switch error {
    case let error as IOError:
      ListenFailure(listener: listener, reason: Reason(system: error.errnoCode))
    case is SocketAddressError.UnknownHost: ListenFailure(listener: listener, reason: .unknown)
    default: error
    }
  }
}

extension ListenFailure.Reason {
  fileprivate init(system code: Int32) {
    self =
      switch code {
      case EADDRINUSE: .taken
      case EADDRNOTAVAIL: .foreign
      case EACCES: .forbidden
      default: .other(String(cString: strerror(code)))
      }
  }
}

/// Properties of a listening address.
public enum ListenAddress {
  /// Whether only this machine can reach it: `localhost`, `127.0.0.0/8` or `::1`.
  ///
  /// Other names are not resolved, since their address can change.
  public static func isLoopback(_ host: String) -> Bool {
    host == "localhost"
      || ClientAddress(host.trimmingPrefix("[").prefix { $0 != "]" })?.isLoopback == true
  }

  /// Whether this is an address and not a name.
  public static func isLiteral(_ text: String) -> Bool { ClientAddress(text) != nil }
}
