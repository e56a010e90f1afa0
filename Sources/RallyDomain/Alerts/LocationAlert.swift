import FoundationEssentials
import RallySystem
import RallyText
import RallyWire

/// What I want to read once about where a friend is.
///
/// Kept and decided on this machine, over positions that are already cut for me: nobody learns what
/// I wait for. It claims nothing that is not known: a friend is somewhere in the circle that they
/// show, and all of it has to be within the distance, or beyond it.
public struct LocationAlert: Hashable, Sendable, Codable, Identifiable {
  public enum Condition: String, Hashable, Sendable, Codable {
    case near, leaves
  }

  /// A place, and how exactly it is known.
  public struct Spot: Hashable, Sendable, Codable {
    public var coordinate: Coordinate
    /// Metres around the coordinate; 0 for an exact place.
    public var radiusMetres: Double

    public init(_ coordinate: Coordinate, radiusMetres: Double = 0) {
      self.coordinate = coordinate
      self.radiusMetres = radiusMetres
    }
  }

  /// What the distance is measured from.
  public enum Centre: Hashable, Sendable, Codable {
    /// Where I am at each look.
    case me
    /// Where I was when the alert was made.
    case here(Spot)
    /// Where the friend was when the alert was made.
    case friend(Spot)
    case place(Spot, name: String)
  }

  public struct Friend: Hashable, Sendable, Codable {
    public var id: UUID
    public var username: String

    public init(_ profile: CommunityProfile) {
      id = profile.id
      username = profile.username
    }
  }

  /// Counts from 1 in the order in which alerts were made; not used twice.
  public internal(set) var id = 0
  /// Nil for any friend.
  public var friend: Friend?
  public var condition: Condition
  /// In `distances`.
  public var metres: Double
  public var centre: Centre
  /// When it ends without a word; nil for never.
  public var until: WireTime?
  /// Friends who were within the distance: they alone can leave.
  var within: Set<UUID> = []

  /// Metres.
  public static let distances = 50.0...1_000_000
  /// Metres, where nothing else is typed.
  static let standardDistances: [Condition: Double] = [.near: 500, .leaves: 200]
  /// By how much of the distance somebody has to be beyond it to have left (hysteresis), as for cells.
  private static let margin = 0.1

  /// Where the distance is measured from; nil while that is not known.
  ///
  /// - Parameter me: Where I am now.
  func spot(_ me: Spot?) -> Spot? {
    switch centre {
    case .me: me
    case .here(let spot), .friend(let spot), .place(let spot, _): spot
    }
  }

  /// The first friend who meets the condition; remembers who was within the distance.
  mutating func look(at scene: AlertScene, at now: WireTime) -> FriendPosition? {
    for position in scene.positions where friend.map({ $0.id == position.id }) ?? true {
      switch (condition, side(of: position, in: scene, at: now)) {
      case (.near, .within): return position
      case (.leaves, .within): within.insert(position.id)
      case (.leaves, .beyond) where within.contains(position.id): return position
      case (.near, .beyond), (.leaves, .beyond), (_, nil): break
      }
    }
    return nil
  }

  /// Who meets the condition as the alert is made: also somebody who left before.
  func isMet(in scene: AlertScene, at now: WireTime) -> FriendPosition? {
    var alert = self
    if condition == .leaves, let friend { alert.within = [friend.id] }
    return alert.look(at: scene, at: now)
  }

  private enum Side {
    case within, beyond
  }

  /// Nil where it is not known.
  private func side(
    of position: FriendPosition, in scene: AlertScene, at now: WireTime
  ) -> Side? {
    guard let spot = spot(scene.me), position.isShown(at: now) else { return nil }
    let distance = spot.coordinate.distance(to: position.coordinate)
    let slack = position.certainRadius + spot.radiusMetres
    if distance + slack <= metres { return .within }
    return distance - slack > metres * (1 + Self.margin) ? .beyond : nil
  }

  /// The smallest distance, in metres, at which a friend who is known so exactly can be within it.
  func leastMetres(for position: FriendPosition, from me: Spot?) -> Double {
    let spot = spot(me)
    let slack = position.certainRadius + (spot?.radiusMetres ?? 0)
    guard let level = position.precision.gridLevel, let place = spot?.coordinate else {
      return slack
    }
    // No cell is nearer than the one around the place.
    return slack + place.distance(to: GridCell(containing: place, level: level).center)
  }
}

extension FriendPosition {
  /// Metres around the coordinate within which the friend is; of a coarse position the circle that
  /// covers its cell and the margin around it.
  var certainRadius: Double {
    max(accuracyMetres ?? 0, precision.gridLevel?.accuracyMetres ?? 0)
  }
}

/// What is known at a moment, over which alerts are decided.
public struct AlertScene: Hashable, Sendable {
  /// Whether friends and positions were fetched by this program, and are not of an earlier run.
  public var isCurrent = true
  public var friends: [CommunityProfile]
  /// Of friends alone.
  public var positions: [FriendPosition]
  /// Where I am; nil while that is not known, or was known too long ago.
  public var me: LocationAlert.Spot?
}

extension AlertScene {
  @MainActor
  public init(
    _ socialStore: SocialStore, _ mapStore: MapStore, _ provider: CurrentLocationProvider,
    at now: WireTime
  ) {
    isCurrent = socialStore.hasFetched && mapStore.hasFetched
    friends = socialStore.friends
    positions = mapStore.positions
    let isStale = provider.choice.lastKnownAt.map {
      WithheldReason(age: now.since($0), precision: .precise) != nil
    }
    if let fix = provider.fix, isStale != true {
      me = LocationAlert.Spot(fix.coordinate, radiusMetres: fix.accuracyMetres ?? 0)
    }
  }
}

/// What an alert says.
public struct AlertNews: Hashable, Sendable {
  public var username: String
  /// What follows the name: `is within 500 m of you`.
  public var text: String
}

/// The alerts of an account, as they are kept.
struct KeptAlerts: Hashable, Sendable, Codable {
  /// As many as one keeps track of.
  static let limit = 50

  var alerts: [LocationAlert]
  private var lastID: Int

  init(_ alerts: [LocationAlert] = []) {
    self.alerts = alerts
    lastID = alerts.map(\.id).max() ?? 0
  }

  /// Adds an alert, in place of one for the same.
  mutating func add(_ alert: LocationAlert) {
    alerts.removeAll {
      $0.friend == alert.friend && $0.condition == alert.condition && $0.centre == alert.centre
    }
    lastID += 1
    var added = alert
    added.id = lastID
    alerts.append(added)
  }

  /// Looks at every alert: those that are met are announced and gone. Those that ended, or are
  /// about somebody who is no friend any more, go without a word.
  mutating func look(at scene: AlertScene, at now: WireTime) -> [AlertNews] {
    let friendIDs = Set(scene.friends.map(\.id))
    var news: [AlertNews] = []
    alerts = alerts.compactMap { alert in
      var alert = alert
      if let until = alert.until, until <= now { return nil }
      if let friend = alert.friend, !friendIDs.contains(friend.id) { return nil }
      alert.within.formIntersection(friendIDs)
      guard let met = alert.look(at: scene, at: now) else { return alert }
      news.append(alert.news(of: met, at: now))
      return nil
    }
    return news
  }
}

extension LocationAlert {
  /// `@bob`, or `a friend`.
  public var who: String {
    friend.map { "@\($0.username.cleanedForDisplay)" } ?? "a friend"
  }

  /// `is within 500 m of you`, `leaves where you were (more than 200 m away)`.
  ///
  /// - Parameter isNew: Whether the alert is being made, so that what will have been is still so.
  public func what(isNew: Bool = false) -> String {
    let place = centreWords(isNew: isNew)
    return switch condition {
    case .near: "is within \(distance) of \(place)"
    case .leaves: "leaves \(place) (more than \(distance) away)"
    }
  }

  /// `until Friday 24:00`; nil without an end.
  public func end(at now: WireTime, timeZone: LocalTimeZone = .current) -> String? {
    until.map { "until \(WhenText(timeZone: timeZone, now: now).words(ofEnd: $0))" }
  }

  /// What was understood: `You hear once when @bob is within 500 m of you, until Friday 24:00.`
  func sentence(at now: WireTime, timeZone: LocalTimeZone = .current) -> String {
    let end = end(at: now, timeZone: timeZone).map { ", \($0)" } ?? ""
    return "You hear once when \(who) \(what(isNew: true))\(end)."
  }

  /// Why an alert about somebody cannot be met for now: they show no position, or too little; nil
  /// while something can be.
  public func obstacle(in scene: AlertScene, at now: WireTime) -> String? {
    if case .me = centre, scene.me == nil { return "your position is not known now" }
    if let spot = spot(scene.me), spot.radiusMetres > metres {
      let subject = if case .me = centre { "your position" } else { centreWords() }
      return "\(subject) is only known to about \(GeoText.distance(spot.radiusMetres))"
    }
    guard let friend else {
      let coarse = scene.positions.filter { leastMetres(for: $0, from: scene.me) > metres }
      guard !coarse.isEmpty else { return nil }
      let names = coarse.prefix(3).map(\.profile.handle) + (coarse.count > 3 ? ["…"] : [])
      return "too coarse for \(distance): \(names.joined(separator: ", "))"
    }
    guard let position = scene.positions.first(where: { $0.id == friend.id }),
      position.isShown(at: now)
    else {
      return "\(who) shows you no position now"
    }
    guard leastMetres(for: position, from: scene.me) > metres else { return nil }
    let exactness =
      position.precision == .precise
      ? "about \(GeoText.distance(position.certainRadius))" : position.precision.title
    return "\(exactness) is too coarse for \(distance)"
  }

  /// What is said of somebody who meets the condition.
  func news(of position: FriendPosition, at now: WireTime) -> AlertNews {
    let place = centreWords()
    let age =
      position.age(at: now) == .fresh || position.precision != .precise
      ? nil : Age.sentence(position.recordedAt, at: now)
    let text =
      switch condition {
      case .near:
        "\(age == nil ? "is" : "was") within \(distance) of \(place)\(age.map { " \($0)" } ?? "")"
      case .leaves: "has left \(place): more than \(distance) away"
      }
    return AlertNews(username: position.profile.username, text: text)
  }

  /// That somebody meets the condition as the alert is made.
  func alreadySentence(of position: FriendPosition, at now: WireTime) -> String {
    let text =
      condition == .near
      ? news(of: position, at: now).text
      : "is more than \(distance) away from \(centreWords(isNew: true))"
    return "\(position.profile.handle) \(text) already."
  }

  private var distance: String { RadiusText.text(metres) }

  /// What the distance is measured from: `you`, `where you were`, `where they were`, or a name.
  public var placeWords: String { centreWords() }

  private func centreWords(isNew: Bool = false) -> String {
    switch centre {
    case .me: "you"
    case .here: isNew ? "where you are" : "where you were"
    case .friend: isNew ? "where they are" : "where they were"
    case .place(_, let name): name.cleanedForDisplay
    }
  }
}
