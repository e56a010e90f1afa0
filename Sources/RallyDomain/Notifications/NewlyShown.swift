import FoundationEssentials
import RallySystem
import RallyWire

/// How exactly each friend shows me where they are, as the server last said it.
struct ShownPositions: Equatable {
  /// Whether this program fetched it, as the friends, and it is not of an earlier run.
  var isFetched: Bool
  var modes: [UUID: SharingMode]

  @MainActor
  init(_ mapStore: MapStore, _ socialStore: SocialStore) {
    isFetched = mapStore.hasFetched && socialStore.hasFetched
    // The map has its positions of friends only once these were handed over to it.
    let records = mapStore.records
    modes = [:]
    let friends = records.isEmpty ? [] : socialStore.friends
    // By index: a friend that is handed over is copied.
    for index in friends.indices {
      let id = friends[index].id
      guard let record = records[id], record.coordinate != nil else { continue }
      modes[id] = record.precision
    }
  }

  init(isFetched: Bool, modes: [UUID: SharingMode]) {
    self.isFetched = isFetched
    self.modes = modes
  }
}

/// Notices friends who begin to show me more of where they are.
///
/// The end of a ghost, of a zone or of sharing hours looks to the reader like a new share. So what
/// a friend showed within the last day is not new, and keys in a row of the friend count as one.
@MainActor
final class NewlyShown {
  /// What a friend showed most exactly, and what they show now.
  private struct Memory {
    var most: SharingMode
    var present: SharingMode
    /// Since when they show less; nil while they show the most.
    var lessSince: WireTime?

    /// - Returns: Whether this is more than was shown within the last day.
    mutating func show(_ mode: SharingMode, at now: WireTime) -> Bool {
      if let since = lessSince, now.since(since) >= .seconds(86_400) {
        (most, lessSince) = (present, nil)
      }
      let isMore = mode > most
      lessSince = mode < most ? lessSince ?? now : nil
      most = max(most, mode)
      present = mode
      return isMore
    }
  }

  private let settling: Duration
  private let now: () -> WireTime
  private var settled: Task<Void, Never>?
  /// Nil before the first look, which finds nothing new.
  private var memories: [UUID: Memory]?

  /// - Parameters:
  ///   - settling: How long what is shown must stay as it is before it is told.
  ///   - now: A clock that nobody sets.
  init(settling: Duration = .seconds(2), now: @escaping () -> WireTime = { .steady }) {
    self.settling = settling
    self.now = now
  }

  deinit { settled?.cancel() }

  /// - Parameter announce: Hears what each friend shows who shows more than before.
  func receive(
    _ shown: ShownPositions, announce: @escaping @MainActor ([UUID: SharingMode]) -> Void
  ) {
    guard shown.isFetched else { return }
    guard memories != nil else {
      _ = look(at: shown.modes)
      return
    }
    settled?.cancel()
    settled = Task { [weak self, settling] in
      guard (try? await DispatchSleep.for(settling)) != nil, let self else { return }
      let news = look(at: shown.modes)
      if !news.isEmpty { announce(news) }
    }
  }

  /// Friends who show more than before, with what they show; none at the first look.
  func look(at modes: [UUID: SharingMode]) -> [UUID: SharingMode] {
    let time = now()
    guard var memories else {
      memories = modes.mapValues { Memory(most: $0, present: $0) }
      return [:]
    }
    var news: [UUID: SharingMode] = [:]
    for id in Set(modes.keys).union(memories.keys) {
      let mode = modes[id] ?? .off
      if memories[id, default: Memory(most: .off, present: .off)].show(mode, at: time) {
        news[id] = mode
      }
    }
    self.memories = memories
    return news
  }
}
