import Foundation
import RallyWire

/// What was typed into the mission composer, as it was typed.
public struct MissionForm: Hashable, Sendable, Codable {
  public var title = ""
  public var brief = ""
  public var place = PlaceEntry()
  public var radius = "250 m"
  /// Empty or `now` for now.
  public var starts = "now"
  /// Empty for no end.
  public var ends = ""
  /// Empty for any number.
  public var capacity = ""
  public var visibility = MissionVisibility.invited
  public var objectives: [ObjectiveEntry] = []

  public init() {}

  /// What a mission that exists would have been typed as.
  init(_ mission: Mission, when: WhenText) {
    title = mission.title
    brief = mission.brief
    place = PlaceEntry(mission.centre)
    radius = RadiusText.text(mission.radiusMetres)
    starts = when.text(of: mission.startsAt)
    ends = mission.endsAt.map(when.text) ?? ""
    capacity = mission.capacity.map(String.init) ?? ""
    visibility = mission.visibility
    objectives = mission.objectives.map(ObjectiveEntry.init)
  }

  /// Every text that has to be found as a place.
  var placeTexts: Set<String> {
    Set(([place] + objectives.map(\.place)).compactMap(\.searched))
  }

  /// Which field differs, for joining what is typed into one step; nil for several or a cycle.
  func changedField(from other: MissionForm) -> String? {
    var changed: [String] = []
    if title != other.title { changed.append("title") }
    if brief != other.brief { changed.append("brief") }
    if place != other.place { changed.append("place") }
    if radius != other.radius { changed.append("radius") }
    if starts != other.starts { changed.append("starts") }
    if ends != other.ends { changed.append("ends") }
    if capacity != other.capacity { changed.append("capacity") }
    if objectives != other.objectives {
      changed += changedObjective(from: other.objectives) ?? ["", ""]
    }
    return visibility == other.visibility && changed.count == 1 ? changed[0] : nil
  }

  private func changedObjective(from others: [ObjectiveEntry]) -> [String]? {
    guard objectives.map(\.id) == others.map(\.id) else { return nil }
    var changed: [String] = []
    for (one, other) in zip(objectives, others) where one != other {
      if one.title != other.title { changed.append("\(one.id) title") }
      if one.place != other.place { changed.append("\(one.id) place") }
      if one.radius != other.radius { changed.append("\(one.id) radius") }
      if one.count != other.count { changed.append("\(one.id) count") }
    }
    return changed
  }

  /// The fields of the form that differ, for what a problem is shown on.
  func changedFields(from other: MissionForm) -> [FieldProblem.Field] {
    var changed: [FieldProblem.Field] = []
    if title != other.title { changed.append(.title) }
    if brief != other.brief { changed.append(.brief) }
    if place != other.place { changed.append(.place) }
    if radius != other.radius { changed.append(.radius) }
    if starts != other.starts { changed.append(.starts) }
    if ends != other.ends { changed.append(.ends) }
    if capacity != other.capacity { changed.append(.capacity) }
    if visibility != other.visibility { changed.append(.visibility) }
    if objectives != other.objectives { changed.append(.objectives) }
    return changed
  }
}

/// A place as it was typed, or as it was picked.
public struct PlaceEntry: Hashable, Sendable, Codable {
  /// A city, or latitude and longitude; a pick writes its title here.
  public var text: String {
    didSet { if text != oldValue { picked = nil } }
  }
  /// Where it is, when it was picked on the map or among the suggestions and not typed over.
  public private(set) var picked: Coordinate?

  public init(_ text: String = "") {
    self.text = text
    picked = nil
  }

  public init(_ place: Place) {
    text = place.title
    picked = place.coordinate
  }

  init(_ coordinate: Coordinate) {
    text = coordinate.description
    picked = coordinate
  }

  public var isEmpty: Bool { text.allSatisfy(\.isWhitespace) }

  /// The text that a place has to be found for; nil when there is nothing to find.
  var searched: String? { picked == nil && !isEmpty ? text : nil }
}

/// A row of the objectives, as it was typed.
public struct ObjectiveEntry: Hashable, Sendable, Codable, Identifiable {
  /// Of the row: it stays while the row is moved and edited.
  public var id: UUID
  /// The objective that it stands for on the server; nil for a new one.
  public var objectiveID: UUID?
  public var title = ""
  /// Empty for the mission's own place.
  public var place = PlaceEntry()
  /// Empty for the mission's radius; asked for only with a place of its own.
  public var radius = ""
  /// Empty for one.
  public var count = ""

  public init(id: UUID = UUID()) { self.id = id }

  init(_ objective: ObjectiveRecord) {
    id = objective.id
    objectiveID = objective.id
    title = objective.title
    if let own = objective.ownPlace { place = PlaceEntry(own) }
    radius = objective.radiusMetres.map(RadiusText.text) ?? ""
    count = objective.count == 1 ? "" : String(objective.count)
  }
}
