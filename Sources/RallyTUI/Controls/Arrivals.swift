import RallyClient
import RallyDomain
import RallyEnvironment

/// What came a moment ago, each shown in motion once: a pin on the map, an objective that is done.
///
/// Takes the time, so that tests move it by hand; once nothing moves, no frame is needed.
struct Arrivals<ID: Hashable> {
  typealias Instant = ContinuousClock.Instant

  /// How long the motion of each takes.
  let length: Duration
  /// More at once are a list that was fetched.
  static var most: Int { 3 }

  private var known: Set<ID>?
  /// Those whose motion was not shown yet.
  private var waiting: Set<ID> = []
  /// When the motion of each was shown first.
  private var begun: [ID: Instant] = [:]

  init(length: Duration) { self.length = length }

  /// Takes what is there now.
  mutating func update(_ ids: Set<ID>) {
    let new = known.map { ids.subtracting($0) } ?? []
    known = ids
    waiting.formIntersection(ids)
    begun = begun.filter { ids.contains($0.key) }
    if new.count <= Self.most { waiting.formUnion(new) }
  }

  /// Forgets all of it: the next update is the first one.
  mutating func forget() { (known, waiting, begun) = (nil, [], [:]) }

  /// How long each that moves has done so; begins with those that have come.
  mutating func elapsed(at now: Instant) -> [ID: Duration] {
    for id in waiting { begun[id] = now }
    waiting = []
    begun = begun.filter { now - $0.value < length }
    return begun.mapValues { now - $0 }
  }
}

extension EnvironmentValues {
  /// Whether what is new may move for a moment.
  var showsMotion: Bool {
    configuration.showsMotion(
      byPolicy: runtimePolicyCoordinator.allowsMotion, over: linkService.state)
  }
}

extension Configuration {
  /// Whether what is new may move for a moment.
  func showsMotion(byPolicy isAllowed: Bool, over link: LinkState) -> Bool {
    hasMotion && isAllowed && link == .live
  }
}
