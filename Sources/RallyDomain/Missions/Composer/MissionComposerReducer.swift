import FoundationEssentials
import RallyState
import RallySystem
import RallyWire

/// The form that creates or edits a mission.
public struct MissionComposerReducer: Reducer {
  public enum Request: Hashable, Sendable {
    /// The form appeared: restores the unsent draft.
    case open
    /// The form was edited: looks up places and saves the draft.
    case edited
    /// Sets the mission's place to one that was picked.
    case pickPlace(Place)
    case addObjective(after: UUID?)
    case removeObjective(UUID)
    /// Moves an objective down (+1) or up (−1).
    case moveObjective(UUID, by: Int)
    /// Goes on to the next (+1) or previous (−1) value of a field that is chosen.
    case choose(FieldProblem.Field, by: Int)
    case undo, redo
    /// The focus moved: the next edit is an undo step of its own.
    case endStep
    /// Resets the form to its initial values; can be undone.
    case clear
    /// Submits the form if every field is valid; otherwise shows the problems.
    case submit
    /// Cancels the submission.
    case cancel
    /// The form disappeared: saves the draft at once.
    case close
  }

  public struct Environment: Sendable {
    /// Sends a call with its client id.
    public typealias Send<Call> =
      @Sendable @MainActor (Call, _ clientID: UUID) async -> Result<Mission, DraftFailure>

    public var draftKeeper: DraftKeeper
    public var placeFinder: PlaceFinder
    public var broadcastStudio: BroadcastStudio
    public var timeZone: LocalTimeZone
    public var now: @Sendable () -> WireTime
    /// Makes the client id of a call, by which the server recognises a repetition.
    public var makeID: @Sendable () -> UUID
    /// The draft is saved this long after the last edit.
    public var keepAfter: Duration
    public var create: Send<CreateMission>
    public var update: Send<UpdateMission>

    public init(
      draftKeeper: DraftKeeper, placeFinder: PlaceFinder = .none,
      broadcastStudio: BroadcastStudio = .shared, timeZone: LocalTimeZone = .current,
      now: @escaping @Sendable () -> WireTime = { .now },
      makeID: @escaping @Sendable () -> UUID = { UUID() }, keepAfter: Duration = .milliseconds(150),
      create: @escaping Send<CreateMission>, update: @escaping Send<UpdateMission>
    ) {
      self.draftKeeper = draftKeeper
      self.placeFinder = placeFinder
      self.broadcastStudio = broadcastStudio
      self.timeZone = timeZone
      self.now = now
      self.makeID = makeID
      self.keepAfter = keepAfter
      self.create = create
      self.update = update
    }
  }

  public init() {}

  /// Saves the draft when the session ends.
  public func setupSubscriptions(store: Store<Self>) {
    subscribe(store: store, keypath: \.broadcastStudio) { studio in
      studio.messages(of: SessionEnded.self)
    } map: { _ in
      .close
    }
  }

  public func reduce(store: Store<Self>, request: Request) async {
    switch request {
    case .open: await open(store: store)
    case .edited: await edited(store: store)
    case .pickPlace(let place):
      modifyValue(store: store, \.form) { $0.place = PlaceEntry(place) }
      await edited(store: store)
    case .addObjective(let id):
      modifyValue(store: store, \.form) { form in
        guard form.objectives.count < MissionRules.objectiveLimit else { return }
        let index = form.objectives.firstIndex { $0.id == id }.map { $0 + 1 }
        form.objectives.insert(ObjectiveEntry(), at: index ?? form.objectives.count)
      }
      await edited(store: store)
    case .removeObjective(let id):
      modifyValue(store: store, \.form) { $0.objectives.removeAll { $0.id == id } }
      await edited(store: store)
    case .moveObjective(let id, let step):
      modifyValue(store: store, \.form) { form in
        guard let from = form.objectives.firstIndex(where: { $0.id == id }),
          form.objectives.indices.contains(from + step)
        else { return }
        form.objectives.swapAt(from, from + step)
      }
      await edited(store: store)
    case .choose(let field, let step):
      modifyValue(store: store, \.form) { $0.choose(field, by: step) }
      await edited(store: store)
    case .undo:
      modifyValue(store: store, \.history) { $0.undo() }
      await edited(store: store)
    case .redo:
      modifyValue(store: store, \.history) { $0.redo() }
      await edited(store: store)
    case .endStep: modifyValue(store: store, \.history) { $0.endStep() }
    case .clear:
      modifyValue(store: store, \.self) { $0.clear() }
      await edited(store: store)
    case .submit: await submit(store: store)
    case .cancel: cancel(store: store, keyPath: \.submission)
    case .close: await keep(store: store, after: .zero)
    }
  }

  // MARK: - Keeping

  private func open(store: Store<Self>) async {
    setTime(store: store)
    guard store.isUntouched, !store.isOpened else { return }
    modifyValue(store: store, \.isOpened) { $0 = true }
    let slot = store.id
    await perform(store: store, keyPath: \.found) { await $0.draftKeeper.mission(slot) }
    modifyValue(store: store, \.self) { $0.takeFound() }
    await findPlaces(store: store)
  }

  private func edited(store: Store<Self>) async {
    setTime(store: store)
    // Start both at once: each one supersedes the one before in the order in which they start, so a
    // later start could supersede that of the next key press.
    let keeping = Task.immediate {
      await keep(store: store, after: store.environment.keepAfter)
    }
    await findPlaces(store: store)
    await keeping.value
  }

  /// Saves the draft after a pause in editing; deletes it if the form is unchanged or was
  /// submitted.
  private func keep(store: Store<Self>, after rest: Duration) async {
    let slot = store.id
    let form = store.isUntouched || store.submission.value != nil ? nil : store.form
    let known = store.kept
    guard known != KeptDraft(form: form) else { return cancel(store: store, keyPath: \.kept) }
    await perform(store: store, keyPath: \.kept) { environment in
      if rest > .zero {
        do { try await DispatchSleep.for(rest) } catch { return known }
      }
      do {
        try await environment.draftKeeper.keep(form, in: slot)
        return KeptDraft(form: form)
      } catch {
        return KeptDraft(form: known.form, problem: error.sentence)
      }
    }
  }

  /// Relative times count from the latest edit.
  private func setTime(store: Store<Self>) {
    let environment = store.environment
    let when = WhenText(timeZone: environment.timeZone, now: environment.now())
    modifyValue(store: store, \.when) { $0 = when }
  }

  // MARK: - Places

  /// Resolves all place names in the form that have no result yet, off the main actor.
  private func findPlaces(store: Store<Self>) async {
    let texts = store.form.placeTexts
    let known = store.placeAnswers.filter { texts.contains($0.key) }
    let missing = texts.subtracting(known.keys)
    guard !missing.isEmpty else { return }
    await perform(store: store, keyPath: \.placeAnswers) { environment in
      var answers = known
      for text in missing { answers[text] = await PlaceAnswer(text, environment.placeFinder) }
      return answers
    }
  }

  // MARK: - Sending

  /// Submits the form.
  ///
  /// - What: Creates or updates the mission through the mission store.
  /// - How: Waits for pending place lookups. An unchanged form is sent with the same client id, so
  ///   that retrying after a lost response creates no second mission.
  /// - Why: The form shows at once what the server would refuse.
  /// - Service Calls: `Environment.create`, `Environment.update`
  private func submit(store: Store<Self>) async {
    guard !store.submission.isLoading() else { return }
    setTime(store: store)
    modifyValue(store: store, \.touchedFields) { $0.formUnion(store.fields) }
    await findPlaces(store: store)
    let id = withEnvironment(store: store, keyPath: \.makeID) { $0() }
    guard store.canSubmit, let attempt = try? store.state.attempt(id: id) else { return }
    modifyValue(store: store, \.lastAttempt) { $0 = attempt }
    await load(store: store, keyPath: \.submission) { environment throws(DraftFailure) in
      switch attempt.call {
      case .nothing(let id): return id
      case .create(let call):
        return try await environment.create(call, attempt.clientID).get().id
      case .update(let call):
        return try await environment.update(call, attempt.clientID).get().id
      }
    }
    guard store.submission.value != nil else { return }
    let slot = store.id
    cancel(store: store, keyPath: \.kept)
    // The keeper reports a failure: the mission is made all the same.
    await withEnvironment(store: store, keyPath: \.draftKeeper) {
      try? await $0.keep(nil, in: slot)
    }
  }
}
