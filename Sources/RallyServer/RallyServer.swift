import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import RallyWire

/// The backend: GoTrue's, PostgREST's and Realtime's wire over one SQLite database.
public final class RallyServer: Sendable {
  /// Enough for a group; each thread costs memory that the embedded server should not have.
  private static let networkThreads = 2
  /// Nobody is waited for longer than this when the server ends.
  private static let patience = DispatchTimeInterval.seconds(1)

  private let configuration: ServerConfiguration
  private let logger: Logger
  private let storage: Storage
  private let keys: ServerKeys
  private let lock: DataFolderLock?
  private let services: ServerServices
  private let hub: RealtimeHub
  private let feed: ChangeFeedReader
  private let feedSignals: AsyncStream<Void>
  /// Yields once when the server is asked to end.
  private let ending: AsyncStream<Void>
  private let end: AsyncStream<Void>.Continuation

  /// Opens the database and brings it up to date; listens only in `run`.
  ///
  /// - Parameter lock: The lock on the data folder if the caller holds it already; otherwise it is
  ///   taken here and kept as long as the server lives.
  /// - Throws: `DataFolderLock.Failure.held` while another server uses the folder.
  public init(
    configuration: ServerConfiguration, logger: Logger, lock: DataFolderLock? = nil
  ) async throws {
    self.configuration = configuration
    self.logger = logger
    (ending, end) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    switch configuration.database {
    case .folder(let path):
      self.lock = try lock ?? DataFolderLock(folder: path)
      let folder = try DataFolder(path: path)
      keys = try folder.keys()
      storage = try Storage(path: folder.databasePath)
    case .inMemory:
      self.lock = lock
      keys = try ServerKeys()
      storage = try Storage(path: nil)
    }
    let presence = OnlineDirectory()
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    feedSignals = signals
    let wake: @Sendable () -> Void = { signal.yield() }
    hub = RealtimeHub(
      signer: TokenSigner(key: keys.secret), apiKey: keys.apiKey, directory: presence,
      limits: configuration.realtime, wake: wake)
    services = ServerServices(
      configuration: configuration, storage: storage, keys: keys, presence: presence, hub: hub)
    feed = ChangeFeedReader(storage: storage, hub: hub, logger: logger, wake: wake)
    storage.onCommit(wake)
  }

  /// The anonymous key that every request carries.
  public var apiKey: String { keys.apiKey }

  /// Asks the server to end; returns at once, `run` returns when it has.
  public func shutdown() async { end.yield() }

  // MARK: - Running

  /// Listens and answers until `shutdown`, cancellation or the idle exit.
  ///
  /// - Parameter onReady: Called once every listener is open, with the ports they really have.
  /// - Throws: What kept a listener from opening. However it ends, sockets are closed and the
  ///   database is checkpointed.
  public func run(
    onReady: @escaping @Sendable ([BoundAddress]) async -> Void
  ) async throws {
    let network = MultiThreadedEventLoopGroup(numberOfThreads: RallyServer.networkThreads)
    // A task of its own: cancelling `run` asks for an orderly end instead of tearing it down.
    let serving = Task { try await serve(on: network, onReady: onReady) }
    let result = await withTaskCancellationHandler {
      await serving.result
    } onCancel: {
      end.yield()
    }
    // The last sockets are gone: store when their people were last seen.
    try? await feed.turn()
    try? await network.shutdownGracefully()
    try storage.close()
    lock?.release()
    try result.get()
  }

  private func serve(
    on network: MultiThreadedEventLoopGroup,
    onReady: @escaping @Sendable ([BoundAddress]) async -> Void
  ) async throws {
    let connections = ConnectionRegistry(patience: configuration.idleExit) { [end] in end.yield() }
    let (opened, didOpen) = AsyncStream.makeStream(of: BoundAddress.self)
    var servers: [Server<WebSocketUpgradeChannel>] = []
    for listener in configuration.listeners {
      servers.append(
        try server(for: listener, on: network, connections: connections) {
          _ = didOpen.yield($0)
        })
    }
    defer { removeSockets() }
    try await feed.start()
    connections.watch()
    try await withThrowingTaskGroup(of: Void.self) { [servers] tasks in
      for server in servers { tasks.addTask { try await server.run() } }
      tasks.addTask { [feed, feedSignals] in await feed.run(signals: feedSignals) }
      tasks.addTask { [lock] in
        var addresses: [BoundAddress] = []
        for await address in opened {
          addresses.append(address)
          if addresses.count == servers.count { break }
        }
        guard !Task.isCancelled else { return }
        lock?.describe(RallyServer.owner(of: addresses))
        await onReady(addresses)
      }
      tasks.addTask { [ending, hub] in
        for await _ in ending { break }
        await hub.closeAll()
        await RallyServer.stop(servers, connections: connections)
        throw CancellationError()
      }
      do {
        for try await _ in tasks {}
      } catch is CancellationError {
        tasks.cancelAll()
      }
    }
  }

  private static func owner(of addresses: [BoundAddress]) -> DataFolderLock.Owner {
    var owner = DataFolderLock.Owner(pid: getpid())
    for address in addresses {
      switch address {
      case .tcp: owner.url = address.url
      case .unixSocket(let path): owner.socket = path
      }
    }
    return owner
  }

  private static func stop(
    _ servers: [Server<WebSocketUpgradeChannel>], connections: ConnectionRegistry
  ) async {
    let impatience = DispatchWorkItem { connections.closeAll() }
    DispatchQueue.timers.asyncAfter(deadline: .now() + patience, execute: impatience)
    await withTaskGroup(of: Void.self) { tasks in
      for server in servers { tasks.addTask { try? await server.shutdownGracefully() } }
    }
    impatience.cancel()
    connections.closeAll()
  }

  private func server(
    for listener: ServerConfiguration.Listener, on network: MultiThreadedEventLoopGroup,
    connections: ConnectionRegistry, onOpen: @escaping @Sendable (BoundAddress) -> Void
  ) throws -> Server<WebSocketUpgradeChannel> {
    let address: BindAddress
    switch listener {
    case .tcp(let host, let port): address = .hostname(host, port: port)
    case .unixSocket(let path):
      try DataFolder.requirePrivate((path as NSString).deletingLastPathComponent)
      address = .unixDomainSocket(path: path)
    }
    let responder = services.router(for: listener).buildResponder()
    let logger = logger
    let handshake = RealtimeHandshake(gateway: services.gateway)
    let limits = configuration.realtime
    let channel = WebSocketUpgradeChannel(
      responder: { request, writer, channel in
        let context = ServerRequestContext(source: .init(channel: channel, logger: logger))
        let response = try await ServerServices.respond(to: request, with: responder, context)
        try await writer.write(response: response.head, body: response.body)
      },
      connections: connections,
      seats: services.seats,
      socketIdleTimeout: .init(configuration.socketIdleTimeout),
      accept: { (try? handshake.serializer(of: $0)) != nil },
      run: { [hub] socket, head in
        let serializer = try handshake.serializer(of: head)
        try await RealtimeSocket(hub: hub, serializer: serializer, limits: limits).run(socket)
      })
    return Server(
      childChannelSetup: channel, configuration: .init(address: address),
      onServerRunning: { channel in
        switch listener {
        case .tcp(let host, let port):
          onOpen(.tcp(host: host, port: channel.localAddress?.port ?? port))
        case .unixSocket(let path):
          chmod(path, 0o600)
          onOpen(.unixSocket(path: path))
        }
      }, eventLoopGroup: network, logger: logger)
  }

  private func removeSockets() {
    for case .unixSocket(let path) in configuration.listeners { unlink(path) }
  }
}
