import RallySystem
import RallyText
import RallyWire

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

  /// Why nothing can be told of somebody for now: they show no position, or too little; nil while
  /// something can be.
  public func obstacle(in scene: AlertScene, at now: WireTime) -> String? {
    if case .me = centre, scene.me == nil { return "where you are is not known now" }
    if let spot = spot(scene.me), spot.radiusMetres > metres {
      return "\(centreWords()) is known to about \(GeoText.distance(spot.radiusMetres)) only"
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

  /// What is told of somebody who meets the condition.
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
