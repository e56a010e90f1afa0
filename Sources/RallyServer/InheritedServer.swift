import HummingbirdCore
import Logging
import NIOCore
import NIOPosix

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
