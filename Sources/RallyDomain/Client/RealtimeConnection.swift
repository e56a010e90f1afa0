import Foundation
import RallyWire

/// What a realtime connection needs of the client.
struct RealtimeSource: Sendable {
  var open: @Sendable () async throws -> SocketLink
  var token: @Sendable () async throws -> AccessToken
  var sessionEvents: @Sendable () -> AsyncStream<SessionEvent>
}

/// The WebSocket to the server: channels, presence and the state of the link.
public actor RealtimeConnection {
  private let source: RealtimeSource

  init(source: RealtimeSource) { self.source = source }

  /// The state of the link, starting with the current one.
  public func linkStates() -> AsyncStream<LinkState> { AsyncStream { $0.finish() } }

  /// Connects now instead of at the next attempt; an open link is asked for a sign of life.
  public func retryNow() {}
}
