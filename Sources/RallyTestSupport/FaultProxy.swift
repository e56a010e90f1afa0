import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Stands between a client and servers on this machine, and breaks what networks break. Each
/// connection goes to a random one of the servers.
public final class FaultProxy: Sendable {
  public enum Target: Sendable {
    case tcp(port: Int)
    case unixSocket(String)
  }

  public enum Fault: Sendable, Equatable {
    /// Everything comes so much later.
    case delay(Duration)
    /// Half-open: bytes are accepted in both directions and never delivered.
    case silence
    /// Nobody is there: what is open is reset, what is new is closed at once.
    case away
  }

  private struct State {
    var fault: Fault?
    /// What the BEGIN of a transaction contains whose COMMIT will not be answered.
    var doomed: String?
    var lostCommits = 0
    var refusals = 0
    var links: [ObjectIdentifier: Link] = [:]
  }

  private let state = Mutex(State())
  private let listener = Mutex<(any Channel)?>(nil)
  private let targets: [Target]
  public let port: Int

  /// `http://127.0.0.1:port`.
  public var url: String { "http://127.0.0.1:\(port)" }

  /// - Parameter targets: At least one.
  /// - Throws: An error of the socket.
  public init(_ targets: [Target]) async throws {
    self.targets = targets
    let (links, link) = AsyncStream.makeStream(of: Link.self)
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { client in
        link.yield(Link(client))
        return client.eventLoop.makeSucceededVoidFuture()
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
    listener.withLock { $0 = channel }
    Task { [weak self] in
      for await link in links { self?.open(link) }
    }
  }

  deinit { listener.withLock { $0 }?.close(promise: nil) }

  public var fault: Fault? { state.withLock { $0.fault } }

  /// How many answers to a COMMIT were lost so far.
  public var lostCommits: Int { state.withLock { $0.lostCommits } }

  /// How many connections were closed at once so far.
  public var refusals: Int { state.withLock { $0.refusals } }

  /// From now on this goes wrong.
  public func begin(_ fault: Fault) {
    state.withLock { $0.fault = fault }
    if fault == .away { cut() }
  }

  /// Nothing goes wrong any more. What is open is reset, since bytes may be missing in it.
  public func heal() {
    state.withLock { $0.fault = nil }
    cut()
  }

  /// Resets all connections.
  public func cut() {
    for link in state.withLock({ Array($0.links.values) }) { link.reset() }
  }

  /// The next COMMIT of a transaction whose BEGIN contains this text reaches PostgreSQL, and the
  /// connection is reset in place of the answer.
  public func loseCommit(of begin: String) { state.withLock { $0.doomed = begin } }

  // MARK: - Connections

  private func open(_ link: Link) {
    let isAway = state.withLock { state in
      guard state.fault == .away else {
        state.links[ObjectIdentifier(link)] = link
        return false
      }
      state.refusals += 1
      return true
    }
    if isAway { return link.reset() }
    let bootstrap = ClientBootstrap(group: link.client.eventLoop)
    let connecting =
      switch targets[Int.random(in: targets.indices)] {
      case .tcp(let port): bootstrap.connect(host: "127.0.0.1", port: port)
      case .unixSocket(let path): bootstrap.connect(unixDomainSocketPath: path)
      }
    connecting.flatMap { [self] server -> EventLoopFuture<Void> in
      link.server.withLock { $0 = server }
      return server.pipeline.addHandler(Relay(self, link, isFromClient: false))
        .flatMap { link.client.pipeline.addHandler(Relay(self, link, isFromClient: true)) }
        .flatMap { link.client.setOption(.autoRead, value: true) }
    }.whenFailure { [self] _ in close(link) }
  }

  fileprivate func close(_ link: Link) {
    state.withLock { $0.links[ObjectIdentifier(link)] = nil }
    link.client.close(promise: nil)
    link.server.withLock { $0 }?.close(promise: nil)
  }

  fileprivate func pass(_ data: ByteBuffer, of link: Link, isFromClient: Bool) {
    let fault = state.withLock { state in
      if isFromClient {
        if link.didSend(data, doomed: state.doomed) { state.doomed = nil }
      } else if link.isDoomed {
        state.lostCommits += 1
      }
      return state.fault
    }
    if !isFromClient, link.isDoomed { return link.reset() }
    guard let channel = isFromClient ? link.server.withLock({ $0 }) : link.client else { return }
    switch fault {
    case .silence: break
    case .away: link.reset()
    case nil: channel.writeAndFlush(data, promise: nil)
    case .delay(let delay):
      channel.eventLoop.scheduleTask(in: .nanoseconds(Int64(delay / .nanoseconds(1)))) {
        channel.writeAndFlush(data, promise: nil)
      }
    }
  }
}

/// A connection through the proxy; all of it runs on the loop of its client's side.
private final class Link: Sendable {
  private struct Transaction {
    var begin = ""
    var isDoomed = false
  }

  let client: any Channel
  let server = Mutex<(any Channel)?>(nil)
  private let transaction = Mutex(Transaction())

  init(_ client: any Channel) { self.client = client }

  var isDoomed: Bool { transaction.withLock { $0.isDoomed } }

  /// Follows PostgreSQL's transactions.
  ///
  /// - Returns: Whether this is the COMMIT of a transaction that is doomed.
  func didSend(_ data: ByteBuffer, doomed: String?) -> Bool {
    let text = String(decoding: data.readableBytesView, as: UTF8.self)
    return transaction.withLock { transaction in
      if text.contains("BEGIN ") { transaction.begin = text }
      guard let doomed, transaction.begin.contains(doomed), text.contains("COMMIT\0") else {
        return false
      }
      transaction.isDoomed = true
      return true
    }
  }

  /// Closes both sides at once, without sending what waits.
  func reset() {
    for channel in [client, server.withLock { $0 }].compactMap({ $0 }) {
      let now = linger(l_onoff: 1, l_linger: 0)
      if let options = channel as? any SocketOptionProvider {
        options.setSoLinger(now).whenComplete { _ in channel.close(promise: nil) }
      } else {
        channel.close(promise: nil)
      }
    }
  }
}

private final class Relay: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  private let proxy: FaultProxy
  private let link: Link
  private let isFromClient: Bool

  init(_ proxy: FaultProxy, _ link: Link, isFromClient: Bool) {
    self.proxy = proxy
    self.link = link
    self.isFromClient = isFromClient
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    proxy.pass(unwrapInboundIn(data), of: link, isFromClient: isFromClient)
  }

  func channelInactive(context: ChannelHandlerContext) { proxy.close(link) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { proxy.close(link) }
}
