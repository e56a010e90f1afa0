import FoundationEssentials
import RallyWire

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

  /// Every shown field of a new mission; of one that is edited those that were changed, since the
  /// form shows times and places with less precision.
  private func changes(of fields: [FieldProblem.Field]) throws(FieldProblem) -> MissionChanges {
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

  private func objectiveInputs() throws(FieldProblem) -> [ObjectiveInput] {
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

  private func found(_ entry: PlaceEntry) throws(FieldProblem) -> Coordinate {
    guard let coordinate = try coordinate(of: entry) else {
      throw FieldProblem(field: .place, advice: "This place is still looked for. Try again.")
    }
    return coordinate
  }
}
