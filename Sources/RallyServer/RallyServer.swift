import Foundation
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

/// The backend: the protocols of GoTrue, PostgREST and Realtime over one database.
public final class RallyServer: Sendable {
  /// Enough for a group; more threads would cost the embedded server memory.
  private static let networkThreads = 2
  let configuration: ServerConfiguration
  let logger: Logger
  private let storage: Storage
  private let keys: KeyRing
  /// nil for keys in the data folder.
  private let vault: KeyVault?
  private let folder: DataFolder?
  let certificate: TLSCertificate?
  private let lock: DataFolderLock?
  let services: ServerServices
  let hub: RealtimeHub
  private let watchPages: WatchPages
  let metrics = ServerMetrics()
  let budgets: BudgetKeeper
  let proxies: TrustedProxies
  let metricsAddress = Mutex<BoundAddress?>(nil)
  private let feed: ChangeFeedReader
  private let feedSignals: AsyncStream<Void>
  /// Notifies of writes by other processes; nil in memory.
  private let writeNotifier: ExternalWriteNotifier?
  /// Yields when a socket's file may be gone.
  private let lostSockets: AsyncStream<Void>
  /// The files of this server's Unix sockets.
  let socketFiles = Mutex<[String: FileIdentity]>([:])
  /// Yields when shutdown is requested.
  private let ending: AsyncStream<Void>
  private let end: AsyncStream<Void>.Continuation

  /// Opens and migrates the database; `run` listens.
  ///
  /// - Parameter lock: The lock on the data folder if the caller holds it already. Otherwise it is
  ///   taken here and kept as long as the server lives.
  /// - Throws: `DataFolderLock.Failure.held` while another server uses the folder,
  ///   `TLSCertificate.Failure`, `DataFolderFailure`, or `StorageFailure`.
  public init(
    configuration: ServerConfiguration, logger: Logger, lock: DataFolderLock? = nil
  ) async throws {
    self.configuration = configuration
    budgets = BudgetKeeper(configuration.budgets)
    proxies = TrustedProxies(configuration.trustedProxies)
    self.logger = logger
    (ending, end) = Self.signals()
    certificate = try Self.certificate(of: configuration, logger: logger)
    let opened = try await OpenedStorage.open(configuration, lock: lock, logger: logger)
    (storage, keys, vault) = (opened.storage, opened.keys, opened.vault)
    (folder, self.lock) = (opened.folder, opened.lock)
    let (feedSignals, signal) = Self.signals()
    self.feedSignals = feedSignals
    let wake: @Sendable () -> Void = { signal.yield() }
    let (lostSockets, loss) = Self.signals()
    self.lostSockets = lostSockets
    if case .folder(let path) = configuration.database {
      writeNotifier = opened.writeNotifier(folder: path, logger: logger) { [end] in
        end.yield()
      } onWrite: {
        wake()
        loss.yield()
      }
    } else {
      writeNotifier = nil
    }
    let gateway = Gateway(apiKey: keys.apiKey, signer: TokenSigner(keys: keys))
    let link: NodeLink? =
      if case .postgres = configuration.database {
        opened.nodeLink(logger: logger, wake: wake)
      } else {
        nil
      }
    let presence = PresentUsers(node: link?.id)
    hub = RealtimeHub(
      gateway: gateway, presentUsers: presence, budgets: budgets, node: link?.id, wake: wake)
    watchPages = WatchPages(budgets: budgets, wake: wake)
    services = ServerServices(
      configuration: configuration, storage: storage, gateway: gateway,
      marks: CellMarks(keys: keys), presence: presence, hub: hub, watchPages: watchPages,
      limiter: RateLimiter(
        budgets: budgets,
        store: link == nil
          ? LocalRateLimitStore() : SharedRateLimitStore(storage: storage, keys: keys)),
      metrics: metrics)
    feed = ChangeFeedReader(
      storage: storage, hub: hub, watchPages: watchPages, logger: logger, metrics: metrics,
      link: link, now: configuration.now, wake: wake)
    storage.onChange(wake)
    storage.onCommit { [metrics] in
      metrics.didCommit()
      wake()
    }
  }

  /// A stream that keeps that something is due, however often it was said.
  private static func signals() -> (
    stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation
  ) {
    AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  private static func certificate(
    of configuration: ServerConfiguration, logger: Logger
  ) throws -> TLSCertificate? {
    let certificate = try configuration.certificate.map { files throws(TLSCertificate.Failure) in
      try TLSCertificate(files)
    }
    if let day = certificate?.ended() { logger.warning("tls: the certificate ended on \(day)") }
    return certificate
  }

  /// The anonymous key that every request carries.
  public var apiKey: String { keys.apiKey }

  /// The address of `/metrics`; nil before the server is ready, and without such a listener.
  public var operatorAddress: BoundAddress? { metricsAddress.withLock { $0 } }

  /// Requests shutdown and returns at once; `run` returns when it is complete.
  public func shutdown() async { end.yield() }

  /// Reloads the certificate and the secrets, for new connections and tokens.
  ///
  /// - Returns: A sentence for each that cannot be used; the former one stays in use. They are
  ///   logged, too.
  @discardableResult
  public func reload() -> [String] {
    var problems: [String] = []
    do throws(TLSCertificate.Failure) {
      try certificate?.reload()
    } catch {
      problems.append("\(error) The former certificate stays in use.")
    }
    // Those in the database are taken when they change.
    if let folder, vault == nil {
      do {
        keys.replace(with: try DataFolder.requireKeys(in: folder.path).keys)
      } catch {
        problems.append("\(error) The former secrets stay in use.")
      }
    }
    for problem in problems { logger.error("reload: \(problem)") }
    if problems.isEmpty { logger.notice("reload: done") }
    return problems
  }

  // MARK: - Running

  /// Serves until `shutdown`, cancellation or the idle exit.
  ///
  /// - Parameter onReady: Called when all listeners are open, with their actual ports.
  /// - Throws: `ListenFailure`, or another error of a listener. In any case sockets are closed and
  ///   the database is checkpointed.
  public func run(onReady: @escaping @Sendable ([BoundAddress]) async -> Void) async throws {
    let network = MultiThreadedEventLoopGroup(numberOfThreads: RallyServer.networkThreads)
    // A separate task, so that cancelling `run` requests an orderly shutdown.
    let serving = Task { try await serve(on: network, onReady: onReady) }
    let result = await withTaskCancellationHandler {
      await serving.result
    } onCancel: {
      end.yield()
    }
    // Stores `last_seen` of the users of the last sockets, and gives up the lease.
    try? await feed.turn()
    writeNotifier?.stop()
    // Values released by the last task of a loop, as after a failed bind, may still call another
    // loop: each loop finishes its turn before any ends.
    for loop in network.makeIterator() { try? await loop.submit {}.get() }
    try? await network.shutdownGracefully()
    try storage.close()
    lock?.release()
    try result.get()
  }

  private func serve(
    on network: MultiThreadedEventLoopGroup,
    onReady: @escaping @Sendable ([BoundAddress]) async -> Void
  ) async throws {
    let connections = ConnectionRegistry(
      budgets: budgets, room: OpenFiles.room(for: budgets[.connections]),
      proxies: proxies, patience: configuration.idleExit
    ) { [end] in end.yield() }
    let (opened, didOpen) = AsyncStream.makeStream(of: BoundAddress.self)
    let servers: [any AcceptingServer] = try configuration.listeners.map { listener in
      try server(for: listener, on: network, connections: connections) {
        _ = didOpen.yield($0)
      }
    }
    let (observed, didObserve) = AsyncStream.makeStream(of: Void.self)
    let (observing, observers) = try operatorServer(on: network, counting: connections) {
      _ = didObserve.yield()
    }
    defer { removeSockets() }
    try await feed.start()
    connections.watch()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for (server, listener) in zip(servers, configuration.listeners) {
        tasks.addTask { try await RallyServer.run(server, on: listener) }
      }
      if let observing, let listener = configuration.metrics {
        tasks.addTask { try await RallyServer.run(observing, on: listener) }
      }
      tasks.addTask { [feed, feedSignals] in await feed.run(signals: feedSignals) }
      tasks.addTask { [self] in
        let addresses = await RallyServer.first(servers.count, of: opened)
        if observing != nil { _ = await RallyServer.first(1, of: observed) }
        guard !Task.isCancelled else { return }
        describe(addresses)
        await onReady(addresses)
      }
      tasks.addTask { [self] in await replaceLostSockets(on: network, connections) }
      tasks.addTask { [self] in
        for await _ in ending { break }
        await drain(servers, connections)
        if let observing {
          await RallyServer.stop([observing], connections: observers, patience: .zero)
        }
        throw CancellationError()
      }
      do {
        for try await _ in tasks {}
      } catch is CancellationError {
        tasks.cancelAll()
      }
    }
  }

  /// - Returns: Fewer where the stream ends, or the task is cancelled, before.
  private static func first<Element>(
    _ count: Int, of stream: AsyncStream<Element>
  ) async -> [Element] {
    var elements: [Element] = []
    for await element in stream {
      elements.append(element)
      if elements.count == count { break }
    }
    return elements
  }

  /// Tells those who look into the data folder where this server is reached.
  private func describe(_ addresses: [BoundAddress]) {
    var owner = RallyServer.owner(of: addresses)
    owner.publicURL = configuration.publicURL
    lock?.describe(owner)
  }

  /// Ends what is connected, each part in its own way, and stops listening.
  private func drain(
    _ servers: [any AcceptingServer], _ connections: ConnectionRegistry
  ) async {
    services.readiness.end()
    watchPages.closeAll()
    await hub.closeAll()
    await RallyServer.stop(servers, connections: connections, patience: configuration.drainTime)
    await hub.waitUntilEmpty()
  }

  /// Listens again at each Unix socket whose file is gone, as after a logout that removed its folder:
  /// whoever is connected stays, and others come in again.
  private func replaceLostSockets(
    on network: MultiThreadedEventLoopGroup, _ connections: ConnectionRegistry
  ) async {
    await withTaskGroup(of: Void.self) { tasks in
      for await _ in lostSockets {
        for listener in configuration.listeners {
          guard case .unixSocket(let path) = listener, FileIdentity(path) == nil else { continue }
          tasks.addTask { [self] in
            do {
              let again = try server(for: listener, on: network, connections: connections) { _ in }
              try await RallyServer.run(again, on: listener)
            } catch is CancellationError {
            } catch {
              logger.error("socket: \(error)")
            }
          }
        }
      }
    }
  }

  /// - Throws: `ListenFailure` if the address cannot be bound.
  private static func run(
    _ server: any AcceptingServer, on listener: ServerConfiguration.Listener
  ) async throws {
    do {
      try await server.run()
    } catch {
      throw ListenFailure.explained(error, on: listener)
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
    _ servers: [any AcceptingServer], connections: ConnectionRegistry, patience: Duration
  ) async {
    let deadline = DispatchWorkItem { connections.closeAll() }
    DispatchQueue.timers.asyncAfter(
      deadline: .now() + .microseconds(Int(patience / .microseconds(1))), execute: deadline)
    await withTaskGroup(of: Void.self) { tasks in
      for server in servers { tasks.addTask { try? await server.shutdownGracefully() } }
    }
    deadline.cancel()
    connections.closeAll()
  }

  private func removeSockets() {
    // Another server may listen there by now.
    for (path, file) in socketFiles.withLock({ $0 }) where FileIdentity(path) == file {
      unlink(path)
    }
  }
}
