import FoundationEssentials
import RallyEnvironment
import Synchronization

/// A change of the session that all features must know of.
public enum BroadcastMessage: Hashable, Sendable {
  /// This user's session ended without a sign-out: revoked, expired or banned.
  case sessionEnded(userID: UUID?)
  /// The user signed in or signed up; nil after signing out.
  case accountChanged(userID: UUID?)
}

/// Publishes `BroadcastMessage`s to all features.
public final class BroadcastStudio: Sendable {
  public static let shared = BroadcastStudio()

  private let listeners = Mutex<[UUID: AsyncStream<BroadcastMessage>.Continuation]>([:])

  public init() {}

  /// All messages from now on. Cancelling the iteration ends the stream.
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
