/// Turns bursts of hints into few fetches: one soon after the first hint, one more if others came
/// meanwhile, and in a storm less and less often.
@MainActor
final class RefreshCoalescer {
  private let shortest: Duration
  private let longest: Duration
  private let refresh: () async -> Void
  private var task: Task<Void, Never>?
  /// Whether a hint waits for its fetch.
  private(set) var isWanted = false

  init(shortest: Duration, longest: Duration, refresh: @escaping () async -> Void) {
    self.shortest = shortest
    self.longest = longest
    self.refresh = refresh
  }

  deinit { task?.cancel() }

  func schedule() {
    isWanted = true
    guard task == nil else { return }
    task = Task { [weak self, shortest, longest] in
      var pause = shortest
      while self?.isWanted == true, !Task.isCancelled {
        try? await DispatchSleep.for(pause)
        self?.isWanted = false
        await self?.refresh()
        pause = min(pause * 2, longest)
      }
      self?.task = nil
    }
  }
}
