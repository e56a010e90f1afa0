import RallyState
import Testing

@MainActor
struct SamplesTests {
  private let players: [FootballerReducer.Footballer] = [
    .init(id: 7, name: "Alex"), .init(id: 10, name: "Marta"),
  ]

  @Test func `footballers are loaded, score, and the signing of one is told to everybody`()
    async throws
  {
    // given
    let studio = BroadcastStudio()
    let (one, other) = (makeStore(studio), makeStore(studio))
    // when
    await one.send(.loadPlayers)
    await one.send(.score(10))
    await one.send(.sign(10))
    // then
    #expect(one.players.value?.map(\.goals) == [0, 1])
    #expect(other.players.isIdle)
    try await until { one.signed == [10] && other.signed == [10] }
  }

  @Test func `footballers that cannot be loaded are a failure, and nobody scores`() async {
    struct NoLeague: Error {}
    let store = Store<FootballerReducer>(
      initialState: .init(), environment: .init(fetchPlayers: { throw NoLeague() }))
    await store.send(.loadPlayers)
    await store.send(.score(7))
    #expect(store.players.isFailure)
    #expect(store.players.failure is NoLeague)
  }

  @Test func `a recipe is a favourite until it is none, and portions are at least one`() async {
    let store = Store<RecipeReducer>(initialState: .init(), environment: ())
    await store.send(.toggleFavourite(.pizza))
    #expect(store.favourites == [.pizza])
    await store.send(.toggleFavourite(.pizza))
    #expect(store.favourites.isEmpty)
    await store.send(.setPortions(-3))
    #expect(store.portions == 1)
  }

  @Test func `each tab keeps what was opened on it`() async {
    let store = Store<NavigationReducer>(initialState: .init(), environment: ())
    await store.send(.push(.person("ana")))
    await store.send(.push(.person("ana")))
    #expect(store.paths[.map]?.count == 1)
    await store.send(.select(.missions))
    #expect(store.state.top == nil)
    await store.send(.push(.mission(1)))
    await store.send(.push(.mission(2)))
    await store.send(.pop)
    #expect(store.state.top == .mission(1))
    await store.send(.select(.map))
    #expect(store.state.top == .person("ana"))
    await store.send(.popToRoot)
    #expect(store.state.top == nil)
  }

  private func makeStore(_ studio: BroadcastStudio) -> Store<FootballerReducer> {
    Store(
      initialState: .init(),
      environment: .init(fetchPlayers: { [players] in players }, broadcastStudio: studio))
  }
}
