import FoundationEssentials

/// What a running session has to say to whoever shows it.
public enum SessionNews: Hashable, Sendable {
  /// What happened, in a sentence.
  case information(String)
  /// The same, of something good.
  case success(String)
  /// What may be lost, in a sentence.
  case warning(String)
  /// Something that somebody waited for failed.
  case failure(CommunityViewError)
}

/// Hands news to all who listen. What comes while nobody does is lost.
@MainActor
final class NewsQueue {
  private var readers: [UUID: AsyncStream<SessionNews>.Continuation] = [:]

  deinit { for reader in readers.values { reader.finish() } }

  func news() -> AsyncStream<SessionNews> {
    let (stream, continuation) = AsyncStream.makeStream(of: SessionNews.self)
    let id = UUID()
    readers[id] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { @MainActor in self?.readers[id] = nil }
    }
    return stream
  }

  func send(_ news: SessionNews) { for reader in readers.values { reader.yield(news) } }
}
