import RallyDomain

/// Which pins came to the map a moment ago: each blinks once.
///
/// Takes the time, so that tests move it by hand; asks for one frame after an arrival and for none
/// after that.
struct PinArrivals {
  typealias Instant = ContinuousClock.Instant

  /// How long an arrived pin is shown reversed.
  static let length: Duration = .milliseconds(400)
  /// More at once are a list that was fetched.
  static let most = 3

  private var known: Set<String>?
  private var arrived: [String: Instant] = [:]

  /// Takes what is on the map now.
  ///
  /// - Parameter isShown: Whether there is motion at all; arrivals are forgotten without it.
  /// - Returns: What is shown reversed, and when that ends; nil if nothing is.
  mutating func update(
    _ ids: Set<String>, isShown: Bool, at now: Instant
  ) -> (ids: Set<String>, rest: Duration)? {
    let new = known.map { ids.subtracting($0) } ?? []
    known = ids
    arrived = arrived.filter { isShown && ids.contains($0.key) && now - $0.value < Self.length }
    if isShown, new.count <= Self.most { for id in new { arrived[id] = now } }
    guard let last = arrived.values.max() else { return nil }
    return (Set(arrived.keys), Self.length - (now - last))
  }
}

extension Configuration {
  /// Whether what is new may move for a moment.
  func showsMotion(at level: RuntimePolicyCoordinator.PolicyLevel, over link: LinkState) -> Bool {
    hasMotion && level == .normal && link == .live
  }
}
