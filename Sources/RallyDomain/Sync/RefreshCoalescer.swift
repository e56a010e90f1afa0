import RallySystem

/// Debounces hints into few fetches: one soon after the first hint, one more if others came
/// meanwhile, with growing delays while they keep coming.
@MainActor
final class RefreshCoalescer {
  private let timing: StoreTiming
  private let refresh: () async -> Void
  private var task: Task<Void, Never>?
  /// Whether a hint waits for its fetch.
  private(set) var isWanted = false

  init(_ timing: StoreTiming, refresh: @escaping () async -> Void) {
    self.timing = timing
    self.refresh = refresh
  }

  deinit { task?.cancel() }

  func schedule() {
    isWanted = true
    guard task == nil else { return }
    task = Task { [weak self, timing] in
      var pause = timing.refreshPause
      while self?.isWanted == true, !Task.isCancelled {
        try? await DispatchSleep.for(pause)
        self?.isWanted = false
        await self?.refresh()
        pause = min(pause * 2, timing.longestRefreshPause)
      }
      self?.task = nil
    }
  }
}
