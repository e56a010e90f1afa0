import Foundation
import Synchronization

/// What everybody must hear of, and nothing else: the session is another one now, or none.
public enum BroadcastMessage: Hashable, Sendable {
  /// The session of this person ended without their doing: revoked, expired or banned.
  case sessionEnded(userID: UUID?)
  /// Somebody signed in or signed up; `nil` after signing out.
  case accountChanged(userID: UUID?)
}

/// Carries the few messages that cross all features.
public final class BroadcastStudio: Sendable {
  public static let shared = BroadcastStudio()

  private let listeners = Mutex<[UUID: AsyncStream<BroadcastMessage>.Continuation]>([:])

  public init() {}

  /// Every message from now on; the stream ends when its listener stops listening.
  public func messages() -> AsyncStream<BroadcastMessage> {
    let (stream, continuation) = AsyncStream.makeStream(of: BroadcastMessage.self)
    let id = UUID()
    continuation.onTermination = { [weak self] _ in
      self?.listeners.withLock { _ = $0.removeValue(forKey: id) }
    }
    listeners.withLock { $0[id] = continuation }
    return stream
  }

  public func broadcast(_ message: BroadcastMessage) {
    for listener in listeners.withLock({ Array($0.values) }) { listener.yield(message) }
  }
}

// MARK: - Environment

private struct BroadcastStudioKey: EnvironmentKey {
  static var defaultValue: BroadcastStudio { .shared }
}

extension EnvironmentValues {
  public var broadcastStudio: BroadcastStudio {
    get { self[BroadcastStudioKey.self] }
    set { self[BroadcastStudioKey.self] = newValue }
  }
}
