import Foundation
import RallyState
import RallyDomain
import RallyTestSupport
import RallyWire
import Synchronization
import Testing

@testable import RallyClient
@testable import RallySystem
@testable import RallyTUI
@testable import TerminalKit

/// The mission composer as a person sees it, with a store of missions that the test plays.
@Suite struct MissionComposerTests {
  private final class Missions {
    var created: [CreateMission] = []
    var refusal: DraftFailure?
    var endings: [MissionComposerForm.Ending] = []

    func create(_ call: CreateMission) -> Result<Mission, DraftFailure> {
      created.append(call)
      if let refusal { return .failure(refusal) }
      return Mission(
        MissionRecord(
          id: Samples.id(40), creatorID: Samples.id(1),
          fields: MissionFields(
            title: call.title, centre: Samples.lisbon, radiusMetres: call.radiusMetres,
            startsAt: Samples.time), createdAt: Samples.time, memberCount: 1)
      ).map(Result.success) ?? .failure(.form(advice: "no mission"))
    }
  }

  private struct Root: View {
    let store: Store<MissionComposerReducer>
    let place: Place?
    let missions: Missions

    var body: some View {
      VStack(spacing: 0) {
        Text("what is behind")
        Spacer()
        Footer()
      }
      .modal(item: .constant(true)) { _ in
        MissionComposerForm(store: store, place: place) { missions.endings.append($0) }
      }
    }
  }

  private let missions = Missions()

  private func makeStore(
    _ placeFinder: PlaceFinder = .world
  ) -> Store<MissionComposerReducer> {
    let missions = missions
    return Store(
      initialState: MissionComposerReducer.State(
        when: WhenText(timeZone: .utc, now: Samples.time)),
      environment: MissionComposerReducer.Environment(
        draftKeeper: DraftKeeper(
          authService: AuthService(client: SupabaseClient()),
          persistenceService: PersistenceService()),
        placeFinder: placeFinder, broadcastStudio: BroadcastStudio(), timeZone: .utc,
        now: { Samples.time }, create: { call, _ in missions.create(call) },
        update: { _, _ in .failure(.form(advice: "not here")) }))
  }

  private func screen(
    _ store: Store<MissionComposerReducer>? = nil, size: Size = Size(width: 80, height: 24),
    place: Place? = nil
  ) async -> TestScreen {
    let screen = TestScreen(
      size: size, table: .rally,
      root: Root(store: store ?? makeStore(), place: place, missions: missions))
    await screen.waitUntilIdle()
    return screen
  }

  private func expect(
    _ screen: TestScreen, shows expected: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(screen.text == expected, sourceLocation: sourceLocation)
  }

  @Test func `an empty form on 80 by 24`() async {
    let screen = await screen()
    expect(
      screen,
      shows: """
        what is behind


          ╭─ New mission ────────────────────────────────────────────────────────────╮
          │ ▸ Title     what it is called                                       0/60 │
          │   Brief     what it is about; may stay empty                             │
          │   Place     a city, a street, or 38.72,-9.14                             │
          │   Radius    250 m                                                        │
          │   Starts    now                                                          │
          │   Ends      19:40, +90m, 2026-12-01 18:30; empty for no end              │
          │   Repeats   never                                                        │
          │   Limit     how many people; empty for any number                        │
          │   Seen by   people who are invited                                       │
          │   Live      no                                                           │
          │   Objectives                                                             │
          │             [ Add something to do ↵ ]                                    │
          │             [ Create the mission ↵ ]                                     │
          │ ──────────────────────────────────────────────────────────────────────── │
          │ ^O sends from any field.                                                 │
          ╰──────────────────────────────────────────────────────────────────────────╯



         ↵ go on  Tab next field  ^N add  Esc back  ^G editor
        """)
  }

  @Test func `a form with things to do on 120 by 40`() async {
    let screen = await screen(size: Size(width: 120, height: 40))
    screen.type("Lanterns")
    screen.press("^N")
    screen.type("Red lantern")
    screen.press("^N")
    screen.type("Blue door")
    screen.press("Tab")
    screen.type("Lisb")
    await screen.waitFor("Lisbon, Portugal")
    expect(
      screen,
      shows: """
        what is behind







                              ╭─ New mission ────────────────────────────────────────────────────────────╮
                              │   Title     Lanterns                                                     │
                              │   Brief     what it is about; may stay empty                             │
                              │   Place     a city, a street, or 38.72,-9.14                             │
                              │   Radius    250 m                                                        │
                              │   Starts    now                                                          │
                              │   Ends      19:40, +90m, 2026-12-01 18:30; empty for no end              │
                              │   Repeats   never                                                        │
                              │   Limit     how many people; empty for any number                        │
                              │   Seen by   people who are invited                                       │
                              │   Live      no                                                           │
                              │   Objectives                                                             │
                              │     1       Red lantern                                                  │
                              │     2       Blue door                                                    │
                              │ ▸    at     Lisb                                                         │
                              │               ▸ Lisbon, Portugal                                         │
                              │                 Lisburn, United Kingdom                                  │
                              │      within the mission's radius                                         │
                              │      times  1 check-in                                                   │
                              │             [ Add something to do ↵ ]                                    │
                              │             [ Create the mission ↵ ]                                     │
                              │ ──────────────────────────────────────────────────────────────────────── │
                              │ ^O sends, ^_ undoes; what is typed is kept for later.                    │
                              ╰──────────────────────────────────────────────────────────────────────────╯







         ↵ go on  Tab next field  ^N add  Esc back  ^G editor  ^X remove
        """)
  }

  @Test func `on 60 by 16 the form scrolls to where one types`() async {
    let screen = await screen(size: Size(width: 60, height: 16))
    screen.press("^O")
    await screen.waitFor("Give the mission a title.")
    screen.type("Fog run")
    screen.press("^N")
    screen.type("Run")
    await screen.waitUntilIdle()
    expect(
      screen,
      shows: """
        what is behind
        ╭─ New mission ────────────────────────────────────────────╮
        │   Starts    now                                          │
        │   Ends      19:40, +90m, 2026-12-01 18:30; empty for no… │
        │   Repeats   never                                        │
        │   Limit     how many people; empty for any number        │
        │   Seen by   people who are invited                       │
        │   Live      no                                           │
        │   Objectives                                             │
        │ ▸   1       Run                                          │
        │      at     the mission's place                          │
        │      times  1 check-in                                   │
        │ ──────────────────────────────────────────────────────── │
        │ ^O sends, ^_ undoes; what is typed is kept for later.    │
        ╰──────────────────────────────────────────────────────────╯
         ↵ go on  Tab next field  ^N add  Esc back  ^G editor
        """)
  }

  @Test func `the first thing to do has the cursor at once`() async {
    let screen = await screen(size: Size(width: 60, height: 16))
    screen.type("Fog")
    await screen.waitUntilIdle()
    // As keys come from a terminal: in no task.
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async {
        MainActor.assumeIsolated { screen.press("^N") }
        continuation.resume()
      }
    }
    await screen.waitUntilIdle()
    screen.type("Run")
    await screen.waitUntilIdle()
    #expect(screen.contains("▸   1       Run"))
  }

  @Test func `a whole mission is written with the keyboard and made`() async throws {
    let screen = await screen()
    screen.type("Lanterns of Alfama")
    screen.press("Enter Enter")
    screen.type("Lisbon")
    await screen.waitFor("Lisbon, Portugal")
    screen.press("Enter ^U")
    screen.type("500 m")
    screen.press("Tab ^U")
    screen.type("19:40")
    screen.press("Tab")
    screen.type("+2h")
    await screen.waitFor("= 2026-03-01 21:40")
    screen.press("Tab l l")
    await screen.waitFor("every week")
    #expect(screen.contains("= every Sunday 19:40"))
    screen.press("Tab")
    screen.type("3 times")
    await screen.waitFor("= 2026-03-15")
    screen.press("Tab Tab l l")
    await screen.waitFor("you alone")
    screen.press("Tab l")
    await screen.waitFor("everybody is asked to show the way at the start")
    screen.press("Tab Enter")
    screen.type("Blue door")
    screen.press("Enter Enter")
    screen.type("Well")
    screen.press("PgUp Tab Tab")
    screen.type("3")
    screen.press("^O")
    await screen.waitUntil { !missions.endings.isEmpty }
    let call = try #require(missions.created.first)
    #expect(call.title == "Lanterns of Alfama")
    #expect(call.radiusMetres == 500)
    #expect(call.startsAt == WireTime("2026-03-01T19:40:00Z"))
    #expect(call.endsAt == WireTime("2026-03-01T21:40:00Z"))
    #expect(call.repeats == .weekly)
    #expect(call.repeatUntil == WireTime("2026-03-15T19:40:00Z"))
    #expect(call.visibility == .private && call.isLive == true)
    #expect(call.objectives?.map(\.title) == ["Well", "Blue door"])
    #expect(call.objectives?.first?.count == 3)
    #expect(missions.endings == [.sent])
  }

  @Test func `the cursor goes to what is wrong, and the server's refusal stands there`() async {
    missions.refusal = .field(FieldProblem(field: .capacity, advice: "Take at most 3."))
    let screen = await screen(place: Place(name: "Lisbon", coordinate: Samples.lisbon))
    screen.press("Tab Tab Tab")
    screen.press("^O")
    await screen.waitFor("! Give the mission a title.")
    #expect(screen.contains("▸ Title"))
    screen.type("Fog run")
    await screen.waitUntil { !screen.contains("! Give") }
    screen.press("^O")
    await screen.waitFor("! Take at most 3.")
    #expect(screen.contains("▸ Limit"))
    #expect(missions.endings.isEmpty)
  }

  @Test func `what is wrong with a field is said after it was left, and then while it is mended`()
    async
  {
    let screen = await screen()
    screen.press("Tab Tab Tab ^U")
    screen.type("far")
    await screen.waitUntilIdle()
    #expect(!screen.contains("! "))
    screen.press("Tab")
    await screen.waitFor("! ")
    screen.press("S-Tab")
    await screen.waitUntilIdle()
    #expect(screen.contains("! "))
    screen.press("^U")
    screen.type("2 km")
    await screen.waitUntil { !screen.contains("! ") }
  }

  @Test func `every letter of the first field belongs to the title`() async throws {
    let screen = await screen(place: Place(name: "Lisbon", coordinate: Samples.lisbon))
    screen.type("Cats x9 @ Porto, 19:40 +2h")
    screen.press("^O")
    await screen.waitUntil { !missions.endings.isEmpty }
    let call = try #require(missions.created.first)
    #expect(call.title == "Cats x9 @ Porto, 19:40 +2h")
    #expect(call.latitude == Samples.lisbon.latitude)
    #expect(call.startsAt == nil && call.endsAt == nil && call.objectives?.isEmpty ?? true)
  }

  @Test func `a street that is known here is a place, after the cities`() async throws {
    var finder = PlaceFinder(find: {
      $0 == "Alf" ? [Place(name: "Alfeld", coordinate: Samples.coordinate(0, 0))] : []
    })
    finder.findElsewhere = { text in
      text.hasPrefix("Alf") ? [Place(name: "Alfama Street", coordinate: Samples.lisbon)] : []
    }
    let screen = await screen(makeStore(finder))
    screen.press("Tab Tab")
    screen.type("Alf")
    await screen.waitFor("▸ Alfeld")
    #expect(screen.contains("Alfama Street"))
    screen.type("ama")
    await screen.waitFor("▸ Alfama Street")
    screen.press("Tab")
    await screen.waitUntilIdle()
    #expect(!screen.contains("! "))
  }

  @Test func `typing is undone and done again from within the fields`() async {
    let screen = await screen()
    screen.type("Fog run")
    screen.press("Tab")
    screen.type("at dawn")
    screen.press("^_")
    await screen.waitUntil { !screen.contains("at dawn") }
    #expect(screen.contains("Fog run"))
    screen.press("^_")
    await screen.waitUntil { !screen.contains("Fog run") }
    screen.press("^R ^R")
    await screen.waitFor("at dawn")
    screen.press("^T")
    await screen.waitUntil { !screen.contains("Fog run") }
    screen.press("^_")
    await screen.waitFor("Fog run")
  }

  @Test func `an objective that is removed comes back with undo`() async {
    let screen = await screen()
    screen.press("^N")
    screen.type("Blue door")
    screen.press("^X")
    await screen.waitUntil { !screen.contains("Blue door") }
    #expect(screen.contains("▸           [ Add something to do"))
    screen.press("u")
    await screen.waitFor("Blue door")
  }

  @Test func `arrows choose among places of the same name`() async throws {
    let store = makeStore()
    let screen = await screen(store)
    screen.press("Tab Tab")
    screen.type("Springfield")
    await screen.waitUntil {
      store.state.suggestions(for: store.form.place).count > 1
    }
    await screen.waitUntilIdle()
    let second = store.state.suggestions(for: store.form.place)[1]
    screen.press("Down Down Tab")
    await screen.waitUntilIdle()
    #expect(store.form.place.picked == second.coordinate)
    #expect(store.form.place.text == second.title)
    #expect(screen.contains("▸ Radius"))
  }

  @Test func `leaving says that it is for later`() async {
    let screen = await screen()
    screen.type("Fog run")
    screen.press("Esc")
    await screen.waitUntil { missions.endings == [.later] }
  }
}
