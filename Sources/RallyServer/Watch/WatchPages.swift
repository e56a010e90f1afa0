import Dispatch
import RallyRules
import RallyStorage
import RallyWire
import Synchronization

/// The open pages of links to watch, and the last state of each link that one is open of.
///
/// A state is held once for all pages of its link; a page holds what it was sent last.
package final class WatchPages: Sendable {
  /// A page is sent something within this time, so that nobody on the way takes it for dead.
  static let pause = Duration.seconds(25)

  private struct Link {
    var state: WatchState?
    var isOver = false
    var pages: [Int: AsyncStream<Void>.Continuation] = [:]
    /// How many pages the database has, and since when.
    var stored: (count: Int, at: ContinuousClock.Instant)?
  }

  private struct State {
    var links: [WatchLinkID: Link] = [:]
    var count = 0
    var lastNumber = 0
    var isClosed = false
    var alarm: DispatchWorkItem?
  }

  private let budgets: BudgetKeeper
  private let pause: Duration
  /// Asks for the counts to be stored.
  private let wake: @Sendable () -> Void
  private let state = Mutex(State())

  init(
    budgets: BudgetKeeper, pause: Duration = WatchPages.pause, wake: @escaping @Sendable () -> Void
  ) {
    self.budgets = budgets
    self.pause = pause
    self.wake = wake
  }

  /// How many pages are open.
  var count: Int { state.withLock { $0.count } }

  // MARK: - Pages

  /// - Returns: nil where there are as many as there may be.
  func open(_ link: WatchLinkID) -> WatchPage? {
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number: Int? = state.withLock { state in
      guard !state.isClosed,
        budgets.allows(.watchPages, beside: state.count),
        budgets.allows(.watchPagesPerLink, beside: state.links[link]?.pages.count ?? 0)
      else { return nil }
      state.lastNumber += 1
      state.count += 1
      state.links[link, default: Link()].pages[state.lastNumber] = signal
      if state.alarm == nil { state.alarm = alarm() }
      return state.lastNumber
    }
    guard let number else { return nil }
    wake()
    return WatchPage(link: link, number: number, signals: signals, pages: self)
  }

  fileprivate func close(_ number: Int, of link: WatchLinkID) {
    let wasOpen = state.withLock { state in
      guard let signal = state.links[link]?.pages.removeValue(forKey: number) else { return false }
      signal.finish()
      state.count -= 1
      if state.count == 0 {
        state.alarm?.cancel()
        state.alarm = nil
      }
      return true
    }
    if wasOpen { wake() }
  }

  /// Ends all pages; they come again, to another server or to the next one.
  func closeAll() {
    let signals = state.withLock { state in
      state.isClosed = true
      return state.links.values.flatMap { $0.pages.values }
    }
    for signal in signals { signal.finish() }
  }

  fileprivate func current(_ link: WatchLinkID) -> (state: WatchState?, isOver: Bool) {
    state.withLock { state in
      let link = state.links[link]
      return (link?.state, link?.isOver ?? true)
    }
  }

  private func alarm() -> DispatchWorkItem {
    let item = DispatchWorkItem { [weak self] in self?.tick() }
    let delay = Int(pause / .milliseconds(1))
    DispatchQueue.timers.asyncAfter(deadline: .now() + .milliseconds(delay), execute: item)
    return item
  }

  private func tick() {
    let signals = state.withLock { state in
      state.alarm = state.count > 0 ? alarm() : nil
      return state.links.values.flatMap { $0.pages.values }
    }
    for signal in signals { signal.yield() }
    wake()
  }

  // MARK: - News

  /// Of some links those that a page is open of.
  func watched(_ links: Set<String>) -> [WatchLinkID] {
    state.withLock { state in
      links.compactMap { WatchLinkID($0) }.filter { state.links[$0]?.pages.isEmpty == false }
    }
  }

  /// Tells pages what became of their link.
  ///
  /// - Parameter row: nil for a link that ended.
  func take(_ row: WatchState?, of link: WatchLinkID) {
    let signals: [AsyncStream<Void>.Continuation] = state.withLock { state in
      guard var known = state.links[link] else { return [] }
      guard let row else {
        (known.isOver, known.state) = (true, nil)
        state.links[link] = known
        return Array(known.pages.values)
      }
      // What was read before a newer one came.
      if known.isOver || row.place?.counter ?? 0 < known.state?.place?.counter ?? 0 { return [] }
      let isNew = known.state != row
      known.state = row
      state.links[link] = known
      return isNew ? Array(known.pages.values) : []
    }
    for signal in signals { signal.yield() }
  }

  // MARK: - Counts

  /// The counts that the database does not have, or that it will forget; links without pages are
  /// forgotten here.
  func unstoredCounts() -> [WatchLinkID: Int] {
    let now = ContinuousClock.now
    return state.withLock { state in
      var unstored: [WatchLinkID: Int] = [:]
      for (id, link) in state.links {
        let count = link.pages.count
        let isOld = link.stored.map { now - $0.at > WatchLinkRecords.countLifetime / 2 } ?? true
        if !link.isOver, link.stored?.count ?? 0 != count || count > 0 && isOld {
          unstored[id] = count
        } else if count == 0 {
          state.links[id] = nil
        }
      }
      return unstored
    }
  }

  func stored(_ counts: [WatchLinkID: Int]) {
    let now = ContinuousClock.now
    state.withLock { state in
      for (id, count) in counts {
        state.links[id]?.stored = (count, now)
        if count == 0, state.links[id]?.pages.isEmpty == true { state.links[id] = nil }
      }
    }
  }
}

/// One open page; it is closed when nobody holds it any more.
final class WatchPage: Sendable {
  let link: WatchLinkID
  private let number: Int
  /// Yields when there is news, and from time to time.
  let signals: AsyncStream<Void>
  private let pages: WatchPages

  fileprivate init(link: WatchLinkID, number: Int, signals: AsyncStream<Void>, pages: WatchPages) {
    self.link = link
    self.number = number
    self.signals = signals
    self.pages = pages
  }

  deinit { close() }

  func close() { pages.close(number, of: link) }

  /// What the link's pages have to show now.
  var current: (state: WatchState?, isOver: Bool) { pages.current(link) }
}
