import FoundationEssentials
import RallySystem
import RallyWire

/// Validates the missions of a file against `MissionRules` and collects them with their problems.
struct MissionCollector {
  /// A mission as read from the file, before validation; each part with its line.
  struct Candidate {
    var line: Int
    var title: Located<String>?
    var brief: Located<String>?
    /// The circle around all points of the mission.
    var circle: BoundingCircle?
    var radiusMetres: Located<Double>?
    var startsAt: Located<WireTime>?
    var endsAt: Located<WireTime>?
    var repeats: Located<MissionRepeat>?
    var repeatUntil: Located<WireTime>?
    var timeZone: Located<String>?
    var monthDay: Located<Int>?
    var timeOfDay: Located<ClockTime>?
    var capacity: Located<Int>?
    /// What needs no line: the reader has said what is wrong with it.
    var changes = MissionChanges()
    var objectives: [Located<ObjectiveInput>] = []
    /// Problems that the file reader found.
    var problems: [ImportProblem] = []
  }

  /// A value with its line in the file.
  struct Located<Value> {
    var value: Value
    var line: Int
  }

  /// The radius in metres of a mission that is a point without a radius.
  static let defaultRadius = 100.0

  /// Missions that end at or before this time are rejected.
  let now: WireTime
  private var items: [ImportPreview.Item] = []
  private var problems: [ImportProblem] = []
  private var count = 0
  /// How often each content occurred. Duplicates in one file become separate missions with their
  /// own ids.
  private var copies: [Data: Int] = [:]

  init(now: WireTime) { self.now = now }

  var preview: ImportPreview {
    let sorted = problems.enumerated()
      .sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }.map(\.element)
    return ImportPreview(items: items, problems: Array(sorted.prefix(ImportLimits.problems)))
  }

  mutating func report(_ problem: ImportProblem) { problems.append(problem) }

  /// Validates and adds one mission.
  ///
  /// - Returns: False once the file has too many missions.
  mutating func add(_ candidate: Candidate) -> Bool {
    guard count < ImportLimits.missions else {
      problems.append(
        ImportProblem(
          line: candidate.line,
          "A file brings at most \(ImportLimits.missions) missions; the rest is left out."))
      return false
    }
    count += 1
    var candidate = candidate
    candidate.readSeries(now: now)
    var check = CandidateCheck(candidate: candidate, now: now, problems: candidate.problems)
    guard let call = check.call(), check.problems.isEmpty else {
      problems += check.problems
      return true
    }
    items.append(
      ImportPreview.Item(line: candidate.line, call: call, clientID: clientID(of: call)))
    return true
  }

  private mutating func clientID(of call: CreateMission) -> UUID {
    let content = (try? WireJSON.encode(call)) ?? Data()
    let copy = copies[content, default: 0]
    copies[content] = copy + 1
    var id = ContentID()
    id.add(content)
    if copy > 0 { id.add("\n\(copy)".utf8) }
    return id.uuid
  }
}

/// Makes a call of one candidate, and notes what is wrong with its parts.
private struct CandidateCheck {
  let candidate: MissionCollector.Candidate
  let now: WireTime
  var problems: [ImportProblem]

  mutating func call() -> CreateMission? {
    let title = title()
    let brief = brief()
    guard let circle = candidate.circle else {
      // If there are problems already, the file reader has reported the reason.
      if problems.isEmpty { note(candidate.line, "This mission has no place.") }
      return nil
    }
    let radius = radius(around: circle)
    checkTimes()
    checkCapacity()
    checkObjectiveCount()
    let objectives = candidate.objectives.prefix(MissionRules.objectiveLimit).map {
      objective($0)
    }
    guard let title, problems.isEmpty else { return nil }
    var changes = candidate.seriesChanges
    changes.title = title
    changes.brief = brief?.isEmpty == true ? nil : brief
    changes.setCentre(circle.centre)
    changes.radiusMetres = radius
    changes.capacity = FieldChange(candidate.capacity?.value)
    changes.objectives = objectives.isEmpty ? nil : objectives
    return CreateMission(
      changes, monthDay: candidate.monthDay?.value, timeOfDay: candidate.timeOfDay?.value)
  }

  private mutating func title() -> String? {
    let title = candidate.title
    return checked(title?.line ?? candidate.line) { () throws(FieldProblem) in
      try MissionText.title(title?.value ?? "")
    }
  }

  private mutating func brief() -> String? {
    guard let brief = candidate.brief else { return nil }
    return checked(brief.line) { () throws(FieldProblem) in try MissionText.brief(brief.value) }
  }

  private mutating func radius(around circle: BoundingCircle) -> Double {
    var radius = candidate.radiusMetres?.value ?? circle.radiusMetres.rounded(.up)
    if candidate.radiusMetres == nil {
      radius =
        radius == 0
        ? MissionCollector.defaultRadius : max(radius, MissionRules.radii.lowerBound)
    }
    if !MissionRules.radii.contains(radius) {
      note(
        candidate.radiusMetres?.line ?? candidate.line,
        "A mission's radius is from 10 m to 100 km; this one has \(GeoText.distance(radius)).")
    }
    return radius
  }

  private mutating func checkTimes() {
    guard let ends = candidate.endsAt else { return }
    if let starts = candidate.startsAt {
      if ends.value <= starts.value {
        note(ends.line, "The mission ends before it starts.")
      } else if ends.value.since(starts.value) > MissionRules.longestDuration {
        note(ends.line, "A mission lasts at most 366 days.")
      }
    }
    if ends.value <= now { note(ends.line, "The end lies in the past.") }
  }

  private mutating func checkCapacity() {
    guard let capacity = candidate.capacity, !MissionRules.capacities.contains(capacity.value)
    else { return }
    note(capacity.line, "A mission takes from 1 to 1000 people.")
  }

  private mutating func checkObjectiveCount() {
    guard candidate.objectives.count > MissionRules.objectiveLimit else { return }
    note(
      candidate.objectives[MissionRules.objectiveLimit].line,
      "A mission has at most \(MissionRules.objectiveLimit) objectives; "
        + "this one has \(candidate.objectives.count).")
  }

  private mutating func objective(
    _ objective: MissionCollector.Located<ObjectiveInput>
  ) -> ObjectiveInput {
    var input = objective.value
    let text = checked(objective.line) { () throws(FieldProblem) in
      try MissionText.objective(objective.value.title)
    }
    if let text { input.title = text }
    if let count = input.count, !MissionRules.counts.contains(count) {
      note(objective.line, "An objective asks for 1 to 10,000 check-ins.")
    }
    if let radius = input.radiusMetres, !MissionRules.objectiveRadii.contains(radius) {
      note(objective.line, "An objective's radius is from 10 m to 100 km.")
    }
    return input
  }

  private mutating func note(_ line: Int, _ sentence: String) {
    problems.append(ImportProblem(line: line, sentence))
  }

  private mutating func checked<T>(
    _ line: Int, _ check: () throws(FieldProblem) -> T
  ) -> T? {
    do {
      return try check()
    } catch {
      note(line, error.advice)
      return nil
    }
  }
}

extension MissionCollector.Candidate {
  /// The changes that need no line, with when the mission takes place and how it repeats.
  fileprivate var seriesChanges: MissionChanges {
    var changes = changes
    changes.startsAt = startsAt?.value
    changes.endsAt = FieldChange(endsAt?.value)
    changes.repeats = FieldChange(repeats?.value)
    changes.repeatUntil = FieldChange(repeatUntil?.value)
    if repeats != nil {
      changes.timeZone = timeZone?.value ?? LocalTimeZone.current.identifier
    }
    return changes
  }

  /// How the mission repeats; its problems are added.
  ///
  /// An occurrence that is over gives way to the next one, so that a file of last month makes the
  /// series as it goes on.
  mutating func readSeries(now: WireTime) {
    guard let repeats else {
      if let repeatUntil { note(repeatUntil.line, "repeat_until needs repeat beside it.") }
      (monthDay, timeOfDay) = (nil, nil)
      return
    }
    if let timeZone, LocalTimeZone(identifier: timeZone.value) == nil {
      return note(timeZone.line, "time_zone is a name such as Europe/Lisbon.")
    }
    guard let ends = endsAt else {
      return note(repeats.line, "A mission that repeats needs ends_at.")
    }
    let start = startsAt?.value ?? now
    let length = ends.value.since(start)
    guard length <= repeats.value.longestOccurrence else {
      return note(ends.line, "It is to be over before the next one begins.")
    }
    if let repeatUntil, repeatUntil.value < start {
      return note(repeatUntil.line, "The repetition ends before the mission starts.")
    }
    let series = MissionSeries(
      repeats: repeats.value, startsAt: start, monthDay: monthDay?.value,
      timeOfDay: timeOfDay?.value, until: repeatUntil?.value,
      timeZone: timeZone?.value ?? LocalTimeZone.current.identifier)
    guard series.isConsistent else {
      return note(
        monthDay?.line ?? timeOfDay?.line ?? line,
        "repeat_day and repeat_time are those of starts_at, but where the month or the clocks "
          + "do not have them.")
    }
    var current = series.beginning(at: start)
    if length > .zero, ends.value <= now,
      let next = series.start(after: now.advanced(by: .zero - length))
    {
      current = series.beginning(at: next)
    }
    monthDay = current.monthDay.map { .init(value: $0, line: monthDay?.line ?? line) }
    timeOfDay = current.timeOfDay.map { .init(value: $0, line: timeOfDay?.line ?? line) }
    guard current.startsAt != start else { return }
    let next = current.startsAt
    startsAt = .init(value: next, line: startsAt?.line ?? line)
    endsAt = .init(value: next.advanced(by: length), line: ends.line)
  }

  private mutating func note(_ line: Int, _ sentence: String) {
    problems.append(ImportProblem(line: line, sentence))
  }
}
