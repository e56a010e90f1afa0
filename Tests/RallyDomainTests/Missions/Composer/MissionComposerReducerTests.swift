import Foundation
import RallyState
import RallyTestSupport
import RallyWire
import Synchronization
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
struct MissionComposerReducerTests {
  private nonisolated static let now = WireTime("2026-11-21T13:30:15Z") ?? .now

  /// What was sent, and what the store of missions says to it.
  private final class Missions: Sendable {
    let created = Mutex<[CreateMission]>([])
    let updated = Mutex<[UpdateMission]>([])
    /// The client ids of what was created.
    let clientIDs = Mutex<[UUID]>([])
    let refusals = Mutex<[DraftFailure]>([])
    private let idCount = Mutex(0)

    func nextID() -> UUID {
      idCount.withLock {
        $0 += 1
        return Samples.id(100 + $0)
      }
    }

    func answer() -> Result<Mission, DraftFailure> {
      if let refusal = refusals.withLock({ $0.popLast() }) { return .failure(refusal) }
      return MissionComposerReducerTests.mission().map(Result.success)
        ?? .failure(.form(advice: "no mission"))
    }
  }

  private let missions = Missions()
  private let studio = BroadcastStudio()
  private let folder: TemporaryFolder
  private let keeper: DraftKeeper

  init() async throws {
    folder = try TemporaryFolder()
    let authService = DraftServer.accepting().authService
    _ = try await authService.signIn(email: "ana@rally.local", password: "lantern")
    keeper = DraftKeeper(
      authService: authService,
      persistenceService: PersistenceService(folder: folder.file("drafts")))
  }

  private nonisolated static func mission() -> Mission? {
    var fields = MissionFields(
      title: "Lanterns", brief: "Find them.", centre: Samples.lisbon, radiusMetres: 500,
      startsAt: WireTime("2026-11-21T10:00:07.5Z") ?? .now,
      endsAt: WireTime("2026-11-22T10:00:00Z"))
    fields.capacity = 4
    fields.visibility = .friends
    var record = MissionRecord(
      id: Samples.id(40), creatorID: Samples.id(1), fields: fields, createdAt: now, version: 3,
      objectives: [
        ObjectiveRecord(
          id: Samples.id(50), title: "Blue door", place: nil, radiusMetres: nil, count: 1,
          checkIns: 1, lastBy: nil, lastAt: nil),
        ObjectiveRecord(
          id: Samples.id(51), title: "Well", place: Samples.lisbon, radiusMetres: 50, count: 3,
          checkIns: 0, lastBy: nil, lastAt: nil),
      ], memberCount: 1)
    record.myState = .joined
    return Mission(record)
  }

  private static func lanterns() throws -> Mission { try #require(mission()) }

  private func environment(
    keepAfter: Duration = .zero
  ) throws -> MissionComposerReducer.Environment {
    let missions = missions
    return MissionComposerReducer.Environment(
      draftKeeper: keeper,
      placeFinder: PlaceFinder(find: { name in
        let lisbon = Place(name: "Lisbon", detail: "Portugal", coordinate: Samples.lisbon)
        return "lisbon".hasPrefix(name.lowercased()) ? [lisbon] : []
      }),
      broadcastStudio: studio, timeZone: try #require(LocalTimeZone(identifier: "Europe/Lisbon")),
      now: { Self.now }, makeID: { missions.nextID() }, keepAfter: keepAfter,
      create: { call, id in
        missions.created.withLock { $0.append(call) }
        missions.clientIDs.withLock { $0.append(id) }
        return missions.answer()
      },
      update: { call, _ in
        missions.updated.withLock { $0.append(call) }
        return missions.answer()
      })
  }

  private func makeStore(
    editing mission: Mission? = nil, keepAfter: Duration = .zero
  ) throws -> Store<MissionComposerReducer> {
    let environment = try environment(keepAfter: keepAfter)
    return Store(
      initialState: MissionComposerReducer.State(
        mission: mission, when: WhenText(timeZone: environment.timeZone, now: Self.now)),
      environment: environment)
  }

  /// A store with everything that a mission needs.
  private func filledStore() throws -> Store<MissionComposerReducer> {
    let store = try makeStore()
    store.setValue("Fog run", at: \.form.title)
    store.setValue("Lisbon", at: \.form.place.text)
    return store
  }

  // MARK: - Validation

  @Test func `an untouched form shows no problem and cannot be sent`() throws {
    let store = try makeStore()
    #expect(store.state.firstProblemField == nil)
    #expect(!store.canSubmit)
  }

  @Test func `an empty form that is sent shows what is missing and calls nobody`() async throws {
    let store = try makeStore()
    await store.send(.submit)
    #expect(store.state.problem(on: .title)?.advice == "Give the mission a title.")
    #expect(store.state.problem(on: .place) != nil)
    #expect(store.state.problem(on: .ends) == nil)
    #expect(missions.created.withLock { $0 }.isEmpty)
  }

  @Test(arguments: [
    ("19:40", "18:00", nil), ("18:00", "+90m", nil), ("now", "in 2h", nil),
    ("now", "today 9:00", "End it after its start."),
    ("2026-12-01 18:30", "2026-12-01 18:00", "End it after its start."),
    ("2026-11-20 10:00", "2026-11-21 10:00", "This is past. Type a later time."),
    ("now", "2028-01-01 10:00", "A mission lasts 366 days at most."),
    ("soon", "+2h", nil),
  ])
  func `the end is judged by the start`(
    _ starts: String, _ ends: String, _ advice: String?
  ) throws {
    let store = try makeStore()
    store.setValue(starts, at: \.form.starts)
    store.setValue(ends, at: \.form.ends)
    #expect(store.state.check(.ends)?.advice == advice)
  }

  @Test(arguments: [("", true), ("5", true), ("0", false), ("1001", false), ("many", false)])
  func `places are a number or none`(_ text: String, _ isRight: Bool) throws {
    let store = try makeStore()
    store.setValue(text, at: \.form.capacity)
    #expect((store.state.check(.capacity) == nil) == isRight)
  }

  @Test func `an objective's problem is said on the part it belongs to`() async throws {
    let store = try filledStore()
    await store.send(.addObjective(after: nil))
    #expect(store.state.problem(on: store.form.objectives[0])?.part == .title)
    store.setValue("Blue door", at: \.form.objectives[0].title)
    store.setValue("0", at: \.form.objectives[0].count)
    #expect(store.state.problem(on: store.form.objectives[0])?.part == .count)
    store.setValue("", at: \.form.objectives[0].count)
    store.setValue("Lisbon", at: \.form.objectives[0].place.text)
    store.setValue("1 m", at: \.form.objectives[0].radius)
    #expect(store.state.problem(on: store.form.objectives[0])?.part == .radius)
    store.setValue("50", at: \.form.objectives[0].radius)
    #expect(store.state.problem(on: store.form.objectives[0]) == nil)
  }

  // MARK: - Places

  @Test func `a typed place is looked for, suggested, and refused when there is none`()
    async throws
  {
    let store = try makeStore()
    store.setValue("Lis", at: \.form.place.text)
    #expect(store.state.check(.place) == nil)
    let searching = Task { await store.send(.edited) }
    #expect(await eventually { !store.state.suggestions(for: store.form.place).isEmpty })
    #expect(store.state.suggestions(for: store.form.place).map(\.title) == ["Lisbon, Portugal"])
    store.setValue("Atlantis", at: \.form.place.text)
    searching.cancel()
    let again = Task { await store.send(.edited) }
    #expect(await eventually { store.state.check(.place) != nil })
    #expect(store.state.problem(on: .place)?.advice.contains("Atlantis") == true)
    again.cancel()
  }

  @Test func `a picked place is exact until it is typed over`() async throws {
    let store = try makeStore()
    let spot = try #require(Coordinate(latitude: 38.1234567, longitude: -9.7654321))
    store.setValue(PlaceEntry(Place(name: nil, coordinate: spot)), at: \.form.place)
    #expect(store.form.place.text == "38.1235, -9.7654")
    #expect(try store.state.coordinate(of: store.form.place) == spot)
    store.setValue("38.1235, -9.765", at: \.form.place.text)
    #expect(store.form.place.picked == nil)
  }

  // MARK: - Sending

  @Test func `a finished form makes the mission, and nothing of the draft is left`() async throws {
    // given
    let store = try filledStore()
    store.setValue("19:40", at: \.form.starts)
    store.setValue("+2h", at: \.form.ends)
    store.setValue("5", at: \.form.capacity)
    store.setValue("2 km", at: \.form.radius)
    store.setValue(.private, at: \.form.visibility)
    await store.send(.close)
    #expect(await keeper.mission(.new)?.title == "Fog run")
    // when
    await store.send(.submit)
    // then
    let call = try #require(missions.created.withLock { $0 }.first)
    #expect(call.title == "Fog run")
    #expect(call.latitude == Samples.lisbon.latitude)
    #expect(call.radiusMetres == 2000)
    #expect(call.startsAt == WireTime("2026-11-21T19:40:00Z"))
    #expect(call.endsAt == WireTime("2026-11-21T21:40:00Z"))
    #expect(call.capacity == 5)
    #expect(call.visibility == .private)
    #expect(store.submission.value == Samples.id(40))
    #expect(await keeper.mission(.new) == nil)
  }

  @Test func `a mission that repeats has an end, by the clocks of its maker`() async throws {
    let store = try filledStore()
    store.setValue("19:40", at: \.form.starts)
    #expect(!store.state.fields.contains(.until))
    await store.send(.choose(.repeats, by: 2))
    #expect(store.form.repeats == .weekly)
    #expect(store.state.fields.contains(.until))
    #expect(store.state.check(.repeats) != nil)
    store.setValue("+8d", at: \.form.ends)
    #expect(store.state.check(.repeats) != nil)
    store.setValue("+2h", at: \.form.ends)
    #expect(store.state.check(.repeats) == nil)
    store.setValue("soon", at: \.form.until)
    #expect(store.state.check(.until) != nil)
    store.setValue("3 times", at: \.form.until)
    await store.send(.close)
    #expect(await keeper.mission(.new)?.repeats == .weekly)
    await store.send(.submit)
    let call = try #require(missions.created.withLock { $0 }.first)
    #expect(call.repeats == .weekly)
    #expect(call.repeatUntil == WireTime("2026-12-05T19:40:00Z"))
    #expect(call.timeZone == "Europe/Lisbon")
  }

  @Test func `an edited series sends what was changed, and never takes it away by itself`()
    async throws
  {
    var record = try Self.lanterns().record
    record.fields.endsAt = record.startsAt.advanced(by: .seconds(3600))
    record.fields.series = MissionSeries(
      repeats: .weekly, startsAt: record.startsAt, until: WireTime("2026-12-31T23:59:59Z"),
      timeZone: "Europe/Lisbon")
    let store = try makeStore(editing: Mission(record))
    #expect(store.form.until == "2026-12-31")
    store.setValue("Lamps", at: \.form.title)
    await store.send(.submit)
    let named = try #require(missions.updated.withLock { $0 }.last)
    #expect(named.repeats == .keep && named.repeatUntil == .keep && named.timeZone == nil)

    let other = try makeStore(editing: Mission(record))
    await other.send(.choose(.repeats, by: -2))
    #expect(other.form.repeats == nil && other.form.until.isEmpty)
    await other.send(.submit)
    let once = try #require(missions.updated.withLock { $0 }.last)
    #expect(once.repeats == .clear && once.repeatUntil == .clear)
  }

  @Test func `times of a series are counted by its day of the month`() async throws {
    var record = try Self.lanterns().record
    record.fields.startsAt = try #require(WireTime("2027-02-28T18:00:00Z"))
    record.fields.endsAt = record.startsAt.advanced(by: .seconds(3600))
    record.fields.series = MissionSeries(
      repeats: .monthly, startsAt: try #require(WireTime("2027-01-31T18:00:00Z")),
      timeZone: "UTC")
    let store = try makeStore(editing: Mission(record))
    store.setValue("3 times", at: \.form.until)
    await store.send(.submit)
    let call = try #require(missions.updated.withLock { $0 }.last)
    #expect(call.repeatUntil == .set(try #require(WireTime("2027-04-30T18:00:00Z"))))
  }

  @Test func `a draft of an earlier version is read`() throws {
    let encoder = JSONEncoder()
    var form = MissionForm()
    form.title = "Fog"
    let text = String(decoding: try encoder.encode(form), as: UTF8.self)
    #expect(!text.contains("repeats") && !text.contains("ntil"))
    #expect(try JSONDecoder().decode(MissionForm.self, from: Data(text.utf8)) == form)
  }

  @Test func `now is the server's now`() async throws {
    let store = try filledStore()
    await store.send(.submit)
    let call = try #require(missions.created.withLock { $0 }.first)
    #expect(call.startsAt == nil)
    #expect(call.endsAt == nil)
    #expect(call.capacity == nil)
  }

  @Test func `a refusal stands on its field, and the same form is sent as the same call`()
    async throws
  {
    let store = try filledStore()
    let refusal = FieldProblem(field: .capacity, advice: "Too many.")
    missions.refusals.withLock { $0 = [.form(advice: "The connection broke."), .field(refusal)] }
    await store.send(.submit)
    #expect(store.state.problem(on: .capacity) == refusal)
    await store.send(.submit)
    #expect(store.state.formProblem == "The connection broke.")
    store.setValue("Fog walk", at: \.form.title)
    #expect(store.state.formProblem == nil)
    await store.send(.submit)
    let ids = missions.clientIDs.withLock { $0 }
    // The same form keeps the id that it was given first.
    #expect(ids == [Samples.id(101), Samples.id(101), Samples.id(103)])
    #expect(store.submission.value != nil)
  }

  @Test func `of a mission that is there only what was typed over is sent`() async throws {
    // given
    let mission = try Self.lanterns()
    let store = try makeStore(editing: mission)
    #expect(store.form.starts == "2026-11-21 10:00")
    #expect(store.form.objectives.map(\.title) == ["Blue door", "Well"])
    // when
    store.setValue("Lanterns of Alfama", at: \.form.title)
    store.setValue("", at: \.form.capacity)
    await store.send(.submit)
    // then
    let call = try #require(missions.updated.withLock { $0 }.first)
    #expect(call.title == "Lanterns of Alfama")
    #expect(call.capacity == .clear)
    #expect(call.endsAt == .keep)
    #expect(call.startsAt == nil)
    #expect(call.latitude == nil)
    #expect(call.objectives == nil)
    #expect(call.visibility == nil)
  }

  @Test func `objectives that stay keep their identity when the list is changed`() async throws {
    let store = try makeStore(editing: Self.lanterns())
    await store.send(.moveObjective(Samples.id(50), by: 1))
    await store.send(.addObjective(after: nil))
    store.setValue("Red lantern", at: \.form.objectives[2].title)
    await store.send(.submit)
    let inputs = try #require(missions.updated.withLock { $0 }.first?.objectives)
    #expect(inputs.map(\.title) == ["Well", "Blue door", "Red lantern"])
    #expect(
      inputs.map(\.id) == [Samples.id(51), Samples.id(50), nil])
    #expect(inputs[0].radiusMetres == 50)
    #expect(inputs[0].count == 3)
    #expect(inputs[1].latitude == nil)
  }

  @Test func `a mission that was not changed calls nobody`() async throws {
    let store = try makeStore(editing: Self.lanterns())
    await store.send(.submit)
    #expect(store.submission.value == Samples.id(40))
    #expect(missions.updated.withLock { $0 }.isEmpty)
    #expect(store.sentNothing)
    let other = try makeStore(editing: Self.lanterns())
    other.setValue("Lanterns of Alfama", at: \.form.title)
    await other.send(.submit)
    #expect(other.submission.value != nil)
    #expect(!other.sentNothing)
  }

  @Test func `while the answer is on its way nothing is sent twice`() async throws {
    let environment = try environment()
    let store = Store<MissionComposerReducer>(
      initialState: MissionComposerReducer.State(
        mission: try Self.lanterns(),
        when: WhenText(timeZone: environment.timeZone, now: Self.now)),
      environment: environment, testContext: TestContext { Issue.record("\($0)") })
    store.setValue("Lanterns two", at: \.form.title)
    await store.send(.submit)
    #expect(store.submission.isLoading())
    #expect(!store.canSubmit)
    await store.send(.submit)
    store.testContext?.makeValueForAwaitingKeypath(
      for: \.submission,
      .failed(LoadingFailure(failure: .form(advice: "No."), timestamp: .now))
    ) { state in
      #expect(state.formProblem == "No.")
      #expect(state.canSubmit)
    }
  }

  // MARK: - Undo

  @Test func `what is typed, moved and cleared can be undone and done again`() async throws {
    let store = try makeStore(editing: Self.lanterns())
    for title in ["L", "La", "Lan"] { store.setValue(title, at: \.form.title) }
    await store.send(.removeObjective(Samples.id(50)))
    await store.send(.choose(.visibility, by: 1))
    #expect(store.form.visibility == .private)
    await store.send(.clear)
    #expect(store.isUntouched)

    await store.send(.undo)
    #expect(store.form.visibility == .private)
    await store.send(.undo)
    #expect(store.form.visibility == .friends)
    await store.send(.undo)
    #expect(store.form.objectives.count == 2)
    #expect(store.form.title == "Lan")
    await store.send(.undo)
    #expect(store.form.title == "Lanterns")
    #expect(!store.canUndo)
    await store.send(.redo)
    #expect(store.form.title == "Lan")
  }

  @Test func `the list takes so many objectives and no more`() async throws {
    let store = try makeStore()
    for _ in 0..<(MissionRules.objectiveLimit + 5) { await store.send(.addObjective(after: nil)) }
    #expect(store.form.objectives.count == MissionRules.objectiveLimit)
  }

  // MARK: - Keeping

  @Test func `what was typed before a crash is there again, and says so`() async throws {
    // given
    let store = try makeStore()
    store.setValue("Fog run", at: \.form.title)
    await store.send(.edited)
    // when
    let later = try makeStore()
    await later.send(.open)
    // then
    #expect(later.form.title == "Fog run")
    #expect(later.isRestored)
    later.setValue("Fog runs", at: \.form.title)
    #expect(!later.isRestored)
    await later.send(.undo)
    await later.send(.undo)
    #expect(later.isUntouched)
  }

  @Test func `typing is written down once it rests, and at once when the form is closed`()
    async throws
  {
    let store = try makeStore(keepAfter: .seconds(600))
    store.setValue("Fog run", at: \.form.title)
    let waiting = Task.immediate { await store.send(.edited) }
    #expect(await keeper.mission(.new) == nil)
    await store.send(.close)
    #expect(await keeper.mission(.new)?.title == "Fog run")
    await waiting.value
  }

  @Test func `a form that was cleared leaves nothing behind`() async throws {
    let store = try makeStore()
    store.setValue("Fog run", at: \.form.title)
    await store.send(.edited)
    #expect(await keeper.mission(.new) != nil)
    await store.send(.clear)
    #expect(await keeper.mission(.new) == nil)
  }

  @Test func `who is signed out by the server does not lose what they were writing`()
    async throws
  {
    let store = try makeStore()
    store.setValue("Fog run", at: \.form.title)
    studio.broadcast(SessionEnded(originatingFrom: store, userID: nil))
    #expect(await eventually { store.kept.form?.title == "Fog run" })
  }

  @Test func `what is found from before never replaces what is typed already`() async throws {
    var found = MissionForm()
    found.title = "older"
    try await keeper.keep(found, in: .new)
    let store = try makeStore()
    store.setValue("newer", at: \.form.title)
    await store.send(.open)
    #expect(store.form.title == "newer")
    #expect(!store.isRestored)
  }
}
