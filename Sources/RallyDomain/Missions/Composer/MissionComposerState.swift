import FoundationEssentials
import RallyState
import RallyText
import RallyWire

extension MissionComposerReducer {
  /// A draft as it is on the disk.
  struct KeptDraft: Equatable, Sendable {
    /// Nil if there is none.
    var form: MissionForm?
    /// Why a newer one is not there, in a sentence.
    var problem: String?
  }

  public struct State: Draft, Identifiable {
    public let id: MissionDraftSlot
    /// The mission that is edited; nil for a new one.
    public let mission: Mission?
    /// The form's initial values: empty, or those of the mission.
    public private(set) var initial: MissionForm
    var history: EditHistory<MissionForm>
    public var touchedFields: Set<FieldProblem.Field> = []
    /// The result of submitting: the mission's id.
    public var submission: LoadableValue<UUID, DraftFailure> = .idle
    /// Whether the form shows a restored draft that was not edited since.
    public private(set) var isRestored = false

    /// Lookup results by place text.
    var placeAnswers: [String: PlaceAnswer] = [:]
    /// Parses the form's times.
    var when: WhenText
    /// The saved draft that was loaded.
    var found: MissionForm?
    /// The draft as last saved.
    var kept = KeptDraft()
    var lastAttempt: Attempt?
    var isOpened = false

    /// - Parameters:
    ///   - mission: The mission to edit; nil for a new one.
    ///   - here: The initial place of a new mission: the user's position.
    ///   - when: Parses times; replaced with the environment's time zone and clock when the form
    ///     opens.
    public init(mission: Mission? = nil, here: Coordinate? = nil, when: WhenText) {
      id = mission.map { .mission($0.id) } ?? .new
      self.mission = mission
      self.when = when
      if let mission {
        initial = MissionForm(mission, when: when)
      } else {
        initial = MissionForm()
        if let here { initial.place = PlaceEntry(here) }
      }
      history = EditHistory(initial)
    }

    /// The edited values; every change can be undone.
    public var form: MissionForm {
      get { history.present }
      set {
        let old = history.present
        guard newValue != old else { return }
        history.change(to: newValue, field: newValue.changedField(from: old))
        for field in newValue.changedFields(from: old) { edited(field) }
        isRestored = false
      }
    }

    /// Whether the mission was submitted as it was, so that nothing was sent.
    public var sentNothing: Bool {
      if case .nothing? = lastAttempt?.call { true } else { false }
    }

    /// Why what was typed is not on the disk, in a sentence; nil if it is.
    public var unkept: String? { kept.problem }
    public var canUndo: Bool { history.canUndo }
    public var canRedo: Bool { history.canRedo }
    public var isUntouched: Bool { form == initial }
    public var isNew: Bool { mission == nil }

    mutating func clear() {
      form = initial
      touchedFields = []
      forgetRefusal()
    }

    /// Shows the loaded draft unless the form was edited meanwhile.
    mutating func takeFound() {
      guard let found, isUntouched, found != initial else { return }
      kept = KeptDraft(form: found)
      history.change(to: found)
      isRestored = true
    }

    // MARK: - Parsed values

    /// The places that match an entry, best first.
    public func suggestions(for entry: PlaceEntry) -> [Place] {
      guard let text = entry.searched, let answer = placeAnswers[text] else { return [] }
      return answer.places
    }

    /// The coordinate of an entry; nil while its lookup is pending.
    ///
    /// - Throws: `FieldProblem` that says what to type instead.
    func coordinate(of entry: PlaceEntry) throws(FieldProblem) -> Coordinate? {
      if let picked = entry.picked { return picked }
      guard let text = entry.searched else {
        throw FieldProblem(
          field: .place, advice: "Type a city, or latitude,longitude in degrees.")
      }
      guard let answer = placeAnswers[text] else { return nil }
      if let problem = answer.problem { throw problem }
      return answer.places.first?.coordinate
    }

    /// The start time; nil for now.
    ///
    /// - Throws: `FieldProblem` if the text is no time.
    public func startTime() throws(FieldProblem) -> WireTime? {
      let text = form.starts.trimmed.lowercased()
      return text == "now" ? nil : try when.parse(form.starts, field: .starts)
    }

    /// The end time; nil for no end.
    ///
    /// - Throws: `FieldProblem` if the text is no time, or the time is not after the start, in the
    ///   past, or more than 366 days after the start.
    public func endTime() throws(FieldProblem) -> WireTime? {
      // An invalid start is reported on its own field.
      let start = (try? startTime()) ?? when.now
      guard let end = try when.parse(form.ends, field: .ends, after: start) else { return nil }
      guard end > start else {
        throw FieldProblem(field: .ends, advice: "End it after its start.")
      }
      guard end > when.now || form.ends == initial.ends else {
        throw FieldProblem(field: .ends, advice: "This is past. Type a later time.")
      }
      guard end.since(start) <= MissionRules.longestDuration else {
        throw FieldProblem(field: .ends, advice: "A mission lasts 366 days at most.")
      }
      return end
    }

    /// Checks how long one occurrence lasts.
    ///
    /// - Throws: `FieldProblem` if it has no end, or would not be over before the next one begins.
    func checkRepeats() throws(FieldProblem) {
      guard let repeats = form.repeats, let start = try? startTime() ?? when.now else { return }
      // An invalid end is reported on its own field.
      guard let end = try? endTime() else {
        guard form.ends.trimmed.isEmpty else { return }
        throw FieldProblem(
          field: .repeats, advice: "Type when it ends, so that the next one can follow.")
      }
      guard end.since(start) <= repeats.longestOccurrence else {
        throw FieldProblem(
          field: .repeats, advice: "End it earlier: it is over before the next one begins.")
      }
    }

    /// The last moment at which an occurrence may start; nil for no end of the series.
    ///
    /// - Throws: `FieldProblem` if the text is no day and no count, or lies before the start.
    public func seriesEnd() throws(FieldProblem) -> WireTime? {
      guard let series else { return nil }
      return try RepeatText.until(form.until, of: series, now: when.now)
    }

    /// The series of the form from the mission's current occurrence on; nil for once.
    public var series: MissionSeries? {
      guard let repeats = form.repeats else { return nil }
      // The form says whole minutes.
      let isMoved = form.starts != initial.starts
      let typed = (try? startTime()) ?? when.now
      let start = isMoved ? typed : mission?.startsAt ?? typed
      guard let mission, let series = mission.series else {
        return MissionSeries(
          repeats: repeats, startsAt: start, timeZone: when.timeZone.identifier)
      }
      return series.moved(
        to: start, from: mission.startsAt, repeats: repeats, timeZone: series.timeZone)
    }

    /// The maximum number of members; nil for no limit.
    ///
    /// - Throws: `FieldProblem` unless empty or 1 to 1000.
    public func capacity() throws(FieldProblem) -> Int? {
      try Self.number(
        form.capacity, field: .capacity, allowed: MissionRules.capacities,
        advice: "Type how many people it takes, 1 to 1000, or nothing for any number.")
    }

    /// Validates one objective.
    public func check(_ objective: ObjectiveEntry) -> ObjectiveProblem? {
      var part = ObjectiveProblem.Part.title
      do throws(FieldProblem) {
        _ = try MissionText.objective(objective.title)
        if !objective.place.isEmpty {
          part = .place
          _ = try coordinate(of: objective.place)
          part = .radius
          _ = try Self.radius(of: objective)
        }
        part = .count
        _ = try Self.count(of: objective)
        return nil
      } catch {
        return ObjectiveProblem(
          objective: objective.id, part: part,
          problem: FieldProblem(field: .objectives, advice: error.advice))
      }
    }

    /// The problem to show under an objective, once the list was edited.
    public func problem(on objective: ObjectiveEntry) -> ObjectiveProblem? {
      guard touchedFields.contains(.objectives), submission.value == nil else { return nil }
      return check(objective)
    }

    static func radius(of objective: ObjectiveEntry) throws(FieldProblem) -> Double? {
      if objective.place.isEmpty || objective.radius.allSatisfy(\.isWhitespace) { return nil }
      return try RadiusText.parse(
        objective.radius, field: .objectives, allowed: MissionRules.objectiveRadii)
    }

    static func count(of objective: ObjectiveEntry) throws(FieldProblem) -> Int? {
      try number(
        objective.count, field: .objectives, allowed: MissionRules.counts,
        advice: "Type how many check-ins it takes, 1 to 10000, or nothing for one.")
    }

    private static func number(
      _ text: String, field: FieldProblem.Field, allowed: ClosedRange<Int>, advice: String
    ) throws(FieldProblem) -> Int? {
      let text = text.trimmed
      if text.isEmpty { return nil }
      guard let number = Int(text), allowed.contains(number) else {
        throw FieldProblem(field: field, advice: advice)
      }
      return number
    }
  }
}

/// The result of looking up a place.
struct PlaceAnswer: Hashable, Sendable {
  static let limit = 5

  var places: [Place] = []
  var problem: FieldProblem?

  /// Looks a place up among the cities, and after them among the streets that are known here.
  @concurrent init(_ text: String, _ finder: PlaceFinder) async {
    do throws(FieldProblem) {
      let place = try finder.resolve(text)
      // Coordinates have no other meaning.
      guard place.name != nil else {
        places = [place]
        return
      }
      places = finder.find(text)
    } catch {
      problem = error
    }
    let streets = await finder.findElsewhere(text)
    places = Array((places + streets).prefix(Self.limit))
    if !places.isEmpty { problem = nil }
  }
}

/// The validation error of an objective, and the part that it is in.
public struct ObjectiveProblem: Hashable, Sendable {
  public enum Part: Hashable, Sendable { case title, place, radius, count }

  public let objective: UUID
  public let part: Part
  public let problem: FieldProblem
}

extension MissionComposerReducer.State {
  /// A submitted form with its call, kept so that a retry sends the same client id.
  struct Attempt: Equatable, Sendable {
    enum Call: Sendable {
      /// The mission is unchanged; nothing is sent.
      case nothing(UUID)
      case create(CreateMission)
      case update(UpdateMission)
    }

    let form: MissionForm
    let call: Call
    /// By which the server takes a repeated call for the same one.
    let clientID: UUID

    static func == (a: Attempt, b: Attempt) -> Bool { a.form == b.form }
  }

  /// The call that submits this form; that of the last attempt if the form has not changed since.
  ///
  /// - Parameter id: The client id of a new call.
  /// - Throws: `FieldProblem` if a field is invalid.
  func attempt(id: UUID) throws(FieldProblem) -> Attempt {
    if let lastAttempt, lastAttempt.form == form { return lastAttempt }
    return Attempt(form: form, call: try call(), clientID: id)
  }

  private func call() throws(FieldProblem) -> Attempt.Call {
    guard let mission else { return .create(CreateMission(try changes(of: fields))) }
    if isUntouched { return .nothing(mission.id) }
    return .update(
      UpdateMission(missionID: mission.id, try changes(of: form.changedFields(from: initial))))
  }

  func objectiveInputs() throws(FieldProblem) -> [ObjectiveInput] {
    var inputs: [ObjectiveInput] = []
    for objective in form.objectives {
      inputs.append(
        ObjectiveInput(
          id: objective.objectiveID, title: try MissionText.objective(objective.title),
          place: objective.place.isEmpty ? nil : try found(objective.place),
          radiusMetres: try Self.radius(of: objective), count: try Self.count(of: objective)))
    }
    return inputs
  }

  func found(_ entry: PlaceEntry) throws(FieldProblem) -> Coordinate {
    guard let coordinate = try coordinate(of: entry) else {
      throw FieldProblem(field: .place, advice: "This place is still looked for. Try again.")
    }
    return coordinate
  }
}
