import FoundationEssentials
import RallyWire

/// The texts of the mission composer, not parsed.
public struct MissionForm: Hashable, Sendable, Codable {
  public var title = ""
  public var brief = ""
  public var place = PlaceEntry()
  public var radius = "250 m"
  /// Empty or `now` for now.
  public var starts = "now"
  /// Empty for no end.
  public var ends = ""
  /// nil for once.
  public var repeats: MissionRepeat?
  /// nil, as in drafts from before there was one, for no end of the series.
  private var typedUntil: String?
  /// Empty for no limit.
  public var capacity = ""
  public var visibility = MissionVisibility.invited
  /// Nil in drafts of earlier versions.
  public var isLive: Bool? = false
  public var objectives: [ObjectiveEntry] = []

  public init() {}

  /// The last day of a series, or how many times; empty for no end.
  public var until: String {
    get { typedUntil ?? "" }
    set { typedUntil = newValue.isEmpty ? nil : newValue }
  }

  /// Fills the form from an existing mission.
  init(_ mission: Mission, when: WhenText) {
    title = mission.title
    brief = mission.brief
    place = PlaceEntry(mission.centre)
    radius = RadiusText.text(mission.radiusMetres)
    starts = when.text(of: mission.startsAt)
    ends = mission.endsAt.map(when.text) ?? ""
    repeats = mission.series?.repeats
    until = mission.series.flatMap(RepeatText.lastDay) ?? ""
    capacity = mission.capacity.map(String.init) ?? ""
    visibility = mission.visibility
    isLive = mission.isLive ?? false
    objectives = mission.objectives.map(ObjectiveEntry.init)
  }

  /// All texts that have to be looked up as places.
  var placeTexts: Set<String> {
    Set(([place] + objectives.map(\.place)).compactMap(\.searched))
  }

  /// The only field that differs, for joining edits into one undo step; nil if several differ, or
  /// one whose value is chosen.
  func changedField(from other: MissionForm) -> String? {
    let fields = changedFields(from: other)
    guard fields.count == 1, !fields[0].isChoiceOfMission else { return nil }
    guard fields[0] == .objectives else { return fields[0].rawValue }
    let parts = changedParts(from: other.objectives)
    return parts.count == 1 ? parts[0] : nil
  }

  /// The parts of objectives that differ; none if there are others, or in another order.
  private func changedParts(from others: [ObjectiveEntry]) -> [String] {
    guard objectives.map(\.id) == others.map(\.id) else { return [] }
    var changed: [String] = []
    for (one, other) in zip(objectives, others) where one != other {
      if one.title != other.title { changed.append("\(one.id) title") }
      if one.place != other.place { changed.append("\(one.id) place") }
      if one.radius != other.radius { changed.append("\(one.id) radius") }
      if one.count != other.count { changed.append("\(one.id) count") }
    }
    return changed
  }

  /// All fields that differ, for marking them as edited.
  func changedFields(from other: MissionForm) -> [FieldProblem.Field] {
    var changed: [FieldProblem.Field] = []
    if title != other.title { changed.append(.title) }
    if brief != other.brief { changed.append(.brief) }
    if place != other.place { changed.append(.place) }
    if radius != other.radius { changed.append(.radius) }
    if starts != other.starts { changed.append(.starts) }
    if ends != other.ends { changed.append(.ends) }
    if repeats != other.repeats { changed.append(.repeats) }
    if until != other.until { changed.append(.until) }
    if capacity != other.capacity { changed.append(.capacity) }
    if visibility != other.visibility { changed.append(.visibility) }
    if isLive != other.isLive { changed.append(.live) }
    if objectives != other.objectives { changed.append(.objectives) }
    return changed
  }
}

extension MissionForm {
  /// Goes on to the next (+1) or previous (−1) value of a field that is chosen.
  mutating func choose(_ field: FieldProblem.Field, by step: Int) {
    switch field {
    case .visibility:
      visibility = MissionVisibility.allCases.element(after: visibility, step: step) ?? visibility
    case .live: isLive = !(isLive ?? false)
    case .repeats:
      // Not to repeat is among them.
      let all = [nil] + MissionRepeat.allCases.map(Optional.some)
      repeats = all.element(after: .some(repeats), step: step) ?? nil
      if repeats == nil { until = "" }
    default: break
    }
  }
}

extension FieldProblem.Field {
  /// Whether one of a few values is chosen for this field of a mission.
  public var isChoiceOfMission: Bool { [.visibility, .repeats, .live].contains(self) }
}

// MARK: - Checking and sending

extension MissionComposerReducer.State {
  public var fields: [FieldProblem.Field] {
    [.title, .brief, .place, .radius, .starts, .ends, .repeats]
      + (form.repeats == nil ? [] : [.until]) + [.capacity, .visibility, .live, .objectives]
  }

  public func check(_ field: FieldProblem.Field) -> FieldProblem? {
    do throws(FieldProblem) {
      switch field {
      case .title: _ = try MissionText.title(form.title)
      case .brief: _ = try MissionText.brief(form.brief)
      case .place: _ = try coordinate(of: form.place)
      case .radius: _ = try RadiusText.parse(form.radius)
      case .starts: _ = try startTime()
      case .ends: _ = try endTime()
      case .repeats: try checkRepeats()
      case .until: _ = try seriesEnd()
      case .capacity: _ = try capacity()
      case .objectives:
        for objective in form.objectives {
          if let problem = check(objective) { throw problem.problem }
        }
      default: break
      }
      return nil
    } catch {
      return error
    }
  }

  /// Every shown field of a new mission; of one that is edited those that were changed, since the
  /// form shows times and places with less precision.
  func changes(of fields: [FieldProblem.Field]) throws(FieldProblem) -> MissionChanges {
    var changes = MissionChanges()
    for field in fields {
      switch field {
      case .title: changes.title = try MissionText.title(form.title)
      case .brief: changes.brief = try MissionText.brief(form.brief)
      case .place: changes.setCentre(try found(form.place))
      case .radius: changes.radiusMetres = try RadiusText.parse(form.radius)
      case .starts: changes.startsAt = try startTime() ?? (isNew ? nil : when.now)
      case .ends: changes.endsAt = FieldChange(try endTime())
      case .repeats:
        changes.repeats = FieldChange(form.repeats)
        if initial.repeats == nil, form.repeats != nil {
          changes.timeZone = when.timeZone.identifier
        }
      case .until: changes.repeatUntil = FieldChange(try seriesEnd())
      case .capacity: changes.capacity = FieldChange(try capacity())
      case .visibility: changes.visibility = form.visibility
      case .live: changes.isLive = form.isLive
      case .objectives: changes.objectives = try objectiveInputs()
      default: break
      }
    }
    return changes
  }
}

// MARK: - Parts

/// A place that was typed or picked.
public struct PlaceEntry: Hashable, Sendable, Codable {
  /// A city, or latitude and longitude; picking a place sets its title.
  public var text: String {
    didSet { if text != oldValue { picked = nil } }
  }
  /// The coordinate of a place picked on the map or among the suggestions; nil once the text is
  /// edited.
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

  /// The text to look up; nil if there is nothing to look up.
  var searched: String? { picked == nil && !isEmpty ? text : nil }
}

/// A row of the objectives, not parsed.
public struct ObjectiveEntry: Hashable, Sendable, Codable, Identifiable {
  /// Identifies the row while it is moved and edited.
  public var id: UUID
  /// The objective's id on the server; nil for a new one.
  public var objectiveID: UUID?
  public var title = ""
  /// Empty for the mission's place.
  public var place = PlaceEntry()
  /// Empty for the mission's radius; only used if the objective has its own place.
  public var radius = ""
  /// The number of check-ins; empty for one.
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
