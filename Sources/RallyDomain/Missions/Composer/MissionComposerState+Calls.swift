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
    guard let mission else { return .create(try creation()) }
    return isUntouched ? .nothing(mission.id) : .update(try change(of: mission))
  }

  private func creation() throws(FieldProblem) -> CreateMission {
    CreateMission(
      title: try MissionText.title(form.title), brief: try MissionText.brief(form.brief),
      centre: try found(form.place), radiusMetres: try RadiusText.parse(form.radius),
      startsAt: try startTime(), endsAt: try endTime(), repeats: form.repeats,
      repeatUntil: try seriesEnd(), timeZone: form.repeats == nil ? nil : when.timeZone.identifier,
      capacity: try capacity(), visibility: form.visibility, isLive: form.isLive,
      objectives: try objectiveInputs())
  }

  /// Sends only the fields that were changed, since the form shows times and places with less
  /// precision.
  private func change(of mission: Mission) throws(FieldProblem) -> UpdateMission {
    var call = UpdateMission(missionID: mission.id)
    for field in form.changedFields(from: initial) {
      switch field {
      case .title: call.title = try MissionText.title(form.title)
      case .brief: call.brief = try MissionText.brief(form.brief)
      case .place:
        let centre = try found(form.place)
        call.latitude = centre.latitude
        call.longitude = centre.longitude
      case .radius: call.radiusMetres = try RadiusText.parse(form.radius)
      case .starts: call.startsAt = try startTime() ?? when.now
      case .ends: call.endsAt = try endTime().map { .set($0) } ?? .clear
      case .repeats:
        call.repeats = form.repeats.map { .set($0) } ?? .clear
        call.timeZone = initial.repeats == nil ? when.timeZone.identifier : nil
      case .until: call.repeatUntil = try seriesEnd().map { .set($0) } ?? .clear
      case .capacity: call.capacity = try capacity().map { .set($0) } ?? .clear
      case .visibility: call.visibility = form.visibility
      case .live: call.isLive = form.isLive
      case .objectives: call.objectives = try objectiveInputs()
      default: break
      }
    }
    return call
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
