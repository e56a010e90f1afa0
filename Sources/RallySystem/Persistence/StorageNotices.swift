import Synchronization

/// What a person must learn of their files on this machine while nobody waits for an answer, such
/// as that a draft cannot be written.
///
/// Each sentence is published once in a run. What comes before there is a listener waits.
public final class StorageNotices: Sendable {
  private struct State {
    var posted: Set<String> = []
    var waiting: [String] = []
    var listener: (@Sendable (String) -> Void)?
    /// Grows with each listener, so that one that ends late takes nothing from the next.
    var number = 0
  }

  private let state = Mutex(State())

  public init() {}

  public func post(_ sentence: String) {
    let listener = state.withLock { state -> (@Sendable (String) -> Void)? in
      guard state.posted.insert(sentence).inserted else { return nil }
      if state.listener == nil { state.waiting.append(sentence) }
      return state.listener
    }
    listener?(sentence)
  }

  /// Hands over what waits, and from now on each sentence at once, on any thread.
  ///
  /// - Returns: What distinguishes this listener from a later one.
  @discardableResult
  public func listen(_ listener: @escaping @Sendable (String) -> Void) -> Int {
    let (waiting, number) = state.withLock { state in
      defer { state.waiting = [] }
      state.listener = listener
      state.number += 1
      return (state.waiting, state.number)
    }
    for sentence in waiting { listener(sentence) }
    return number
  }

  /// Takes what waits for a listener.
  public func takeWaiting() -> [String] {
    state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  /// The sentences as a stream, until the listener's task ends.
  public func sentences() -> AsyncStream<String> {
    AsyncStream { continuation in
      let number = listen { continuation.yield($0) }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { if $0.number == number { $0.listener = nil } }
      }
    }
  }
}
