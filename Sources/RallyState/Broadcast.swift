import FoundationEssentials
import RallyEnvironment
import Synchronization

/// Something that happened and concerns all features. A feature declares its own messages.
public protocol BroadcastMessage: Sendable {
  var id: UUID { get }
  /// What happened, for the log: `Session Ended`.
  var name: String { get }
  var originatingFrom: any StoreProtocol { get }
}

extension BroadcastMessage {
  /// The type of who sent it, for the log.
  public var origin: String { "\(type(of: originatingFrom))" }
}

/// Who broadcasts: a store, or a coordinator that speaks for all of them.
public protocol StoreProtocol: AnyObject, Sendable {}

/// Publishes `BroadcastMessage`s to all features.
public final class BroadcastStudio: Sendable {
  public static let shared = BroadcastStudio()

  private let listeners = Mutex<[UUID: @Sendable (any BroadcastMessage) -> Void]>([:])

  public init() {}

  /// All messages from now on; each reading is a stream of its own, which ends with its iteration.
  public var publisher: AsyncStream<any BroadcastMessage> { stream { $0 } }

  /// The messages of one type from now on. Cancelling the iteration ends the stream.
  public func messages<Message: BroadcastMessage>(of type: Message.Type) -> AsyncStream<Message> {
    stream { $0 as? Message }
  }

  public func broadcast(_ message: any BroadcastMessage) {
    for listener in listeners.withLock({ Array($0.values) }) { listener(message) }
  }

  private func stream<Element: Sendable>(
    _ select: @escaping @Sendable (any BroadcastMessage) -> Element?
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
    let id = UUID()
    continuation.onTermination = { [weak self] _ in
      self?.listeners.withLock { _ = $0.removeValue(forKey: id) }
    }
    listeners.withLock {
      $0[id] = { message in if let element = select(message) { continuation.yield(element) } }
    }
    return stream
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
