import RallyText
import RallyWire

/// A parsed command: `bob near 500m`, `bob leaves here`, `anybody near Bar Trinken until friday`.
public struct AlertRequest: Hashable, Sendable {
  public enum Target: Hashable, Sendable {
    /// None was named: near me, and leaving where the friend is.
    case standard
    case here
    case named(String)
  }

  /// The word for any friend; somebody who has this name is `@anybody`.
  public static let anybody = "anybody"

  /// As typed, without an `@`; nil for any friend.
  public var username: String?
  public var condition: LocationAlert.Condition
  /// Nil if none was typed.
  public var metres: Double?
  public var place: Target
  public var until: WireTime?

  /// - Parameter words: `WHO near [DISTANCE] [of] [PLACE] [until TIME]` or
  ///   `WHO leaves [PLACE] [until TIME]`. The last `until` counts: an earlier one is the place's.
  /// - Throws: `FieldProblem` that says what to type instead.
  public init(
    _ words: [String], now: WireTime, timeZone: LocalTimeZone = .current
  ) throws(FieldProblem) {
    guard words.count >= 2, let name = words.first,
      let condition = LocationAlert.Condition(rawValue: words[1].lowercased())
    else { throw Self.problem }
    let isNamed = name.hasPrefix("@")
    username =
      isNamed
      ? String(name.dropFirst()) : name.lowercased() == Self.anybody ? nil : name
    self.condition = condition
    var rest = words.dropFirst(2)
    if let index = rest.lastIndex(where: { $0.lowercased() == "until" }) {
      let end = rest[index...].dropFirst().joined(separator: " ")
      until = try ShareEnds(now: now, timeZone: timeZone).end(typed: end)
      rest = rest[..<index]
    }
    if condition == .near, let typed = Self.distance(&rest) {
      metres = try RadiusText.parse(typed, allowed: LocationAlert.distances)
    }
    if rest.first?.lowercased() == "of", rest.count > 1 { rest.removeFirst() }
    place =
      switch (rest.joined(separator: " "), condition) {
      case ("", _), ("me", .near): .standard
      case ("here", _): .here
      case (let place, _): .named(place)
      }
  }

  /// Takes `500m`, `2 km` or `500` from the words; a number before another one is a latitude, and
  /// before a name is part of it.
  private static func distance(_ words: inout ArraySlice<String>) -> String? {
    guard let first = words.first?.lowercased(), first.first?.isNumber == true else { return nil }
    let units = ["m", "km"]
    let unit = first.drop { $0.isNumber || ".,".contains($0) }
    let next = words.dropFirst().first?.lowercased()
    if unit.isEmpty, let next, units.contains(next) {
      words.removeFirst(2)
      return first + next
    }
    guard units.contains(String(unit)) || unit.isEmpty && [nil, "of", "me", "here"].contains(next)
    else { return nil }
    // `38.72,-9.14` has no unit either.
    guard !unit.isEmpty || !first.contains(",") else { return nil }
    words.removeFirst()
    return first
  }

  static let problem = FieldProblem(
    field: .text,
    advice: "Type who and what: bob near 500m, bob leaves here, or anybody near PLACE until friday."
  )
}

extension LocationAlert {
  /// What a command asks for.
  ///
  /// - Parameters:
  ///   - place: The one that the request names, with the radius of a city or of a mission.
  ///   - scene: What is known now.
  /// - Throws: `FieldProblem` that says what to type instead.
  public init(
    _ request: AlertRequest, at place: Place?, in scene: AlertScene
  ) throws(FieldProblem) {
    condition = request.condition
    until = request.until
    if let name = request.username?.lowercased() {
      guard let profile = scene.friends.first(where: { $0.username == name }) else {
        throw FieldProblem(
          field: .username, advice: "No friend of yours is called @\(name.cleanedForDisplay).")
      }
      friend = Friend(profile)
    }
    let position = friend.flatMap { friend in scene.positions.first { $0.id == friend.id } }
    switch (request.place, condition) {
    case (.standard, .near): centre = .me
    case (.standard, .leaves) where request.username != nil:
      guard let position else {
        throw FieldProblem(
          field: .place,
          advice: "\(request.username.map { "@\($0)" } ?? "") shows you no position. "
            + "Name the place: leaves PLACE.")
      }
      centre = .friend(
        Spot(
          position.coordinate,
          radiusMetres: position.precision == .precise ? position.certainRadius : 0))
    case (.standard, _), (.here, _):
      guard let me = scene.me else {
        throw FieldProblem(
          field: .place, advice: "Where you are is not known. Name a place, or say it with :here.")
      }
      centre = .here(me)
    case (.named, _):
      guard let place else { throw AlertRequest.problem }
      centre = .place(Spot(place.coordinate), name: place.title)
    }
    let usual = max(Self.standardDistances[condition] ?? 0, place?.radiusMetres ?? 0)
    metres = request.metres ?? usual
    if case .friend = centre, let position {
      metres = max(metres, leastMetres(for: position, from: nil))
    }
    if let radius = place?.radiusMetres, radius > metres {
      throw FieldProblem(
        field: .radius,
        advice: "\(place?.title.cleanedForDisplay ?? "That place") is larger than "
          + "\(RadiusText.text(metres)): type at least \(RadiusText.text(radius)).")
    }
    guard let position, position.precision != .precise else { return }
    let least = leastMetres(for: position, from: scene.me)
    guard least > metres else { return }
    throw FieldProblem(
      field: .radius,
      advice: "\(who) is known to \(position.precision.title), which is too coarse for "
        + "\(RadiusText.text(metres)): type at least "
        + "\(RadiusText.text((least / 1000).rounded(.up) * 1000)).")
  }
}

extension AlertRequest {
  /// Finds the place that is named: a mission by its title, what `find` finds, or a mission by a
  /// part of its title. Where no distance was typed, a mission's radius is the distance.
  ///
  /// - Returns: Nil where no place is named.
  /// - Throws: `FieldProblem` of `find` for an unknown place.
  public mutating func findPlace(
    among missions: [Mission], else find: @Sendable (String) async throws(FieldProblem) -> Place
  ) async throws(FieldProblem) -> Place? {
    guard case .named(let text) = place else { return nil }
    if let mission = missions.first(where: { $0.title.folded == text.folded }) {
      return take(mission)
    }
    do throws(FieldProblem) {
      return try await find(text)
    } catch {
      guard let mission = missions.first(where: { $0.title.foldedContains(text) }) else {
        throw error
      }
      return take(mission)
    }
  }

  private mutating func take(_ mission: Mission) -> Place {
    metres = metres ?? max(mission.radiusMetres, LocationAlert.distances.lowerBound)
    return Place(name: mission.title, coordinate: mission.centre)
  }
}
