import Foundation
import RallyState
import Testing

// The example lines of the document that this toolkit was made from, in their own words: that they
// compile is the first half of each test.

private struct UserProfile: Equatable, Sendable {
  var name = "Ana"
  var lastLoginDate: Date?
}

private struct UserService: Sendable {
  var profile = UserProfile()

  func fetchProfile() async throws -> UserProfile { profile }
  func updateProfile(_ profile: UserProfile) async throws {}
  func getCurrentUser() async throws -> UserProfile { profile }
}

private struct Logger: Sendable {}

private struct NetworkMonitor: Sendable { let isConnected = true }

private struct UserDidSignOutMessage: BroadcastMessage {
  let id = UUID()
  let name = "User Did Sign Out"
  let originatingFrom: any StoreProtocol
  let userId: String
}

private struct DataUpdatedMessage: BroadcastMessage {
  let id = UUID()
  let name = "Data Updated"
  let originatingFrom: any StoreProtocol
  let dataType: String
}

private struct UserProfileReducer: Reducer {
  struct State {
    var profile: LoadableValue<UserProfile, any Error> = .idle
    var summary: LoadableValue<Int, any Error> = .idle
    var isEditing: Bool = false
    var timestamp: Date?
    var isOnline = false
    var currentUserId = "ana"
    var heard: [String] = []
  }

  enum Request {
    case loadProfile
    case loadSummary
    case toggleEditing
    case updateProfile(UserProfile)
    case stamp
    case look
    case signOut
    case handleUserSignOut(String)
    case refreshData(String)
    case timerTick
  }

  struct Environment {
    let userService: UserService
    let logger: Logger
    var networkMonitor = NetworkMonitor()
    var broadcastStudio = BroadcastStudio()
    var timerService = AsyncStream<Void> { $0.finish() }
  }

  func reduce(store: Store<Self>, request: Request) async {
    switch request {
    case .loadProfile:
      await load(store: store, keyPath: \.profile) { env in
        try await env.userService.fetchProfile()
      }
    case .loadSummary:
      await load(
        store: store, keyPath: \.summary,
        work: { env in
          try await env.userService.fetchProfile()
        },
        map: { fullData in
          fullData.name.count
        })
    case .toggleEditing:
      modifyValue(store: store, \.isEditing) { $0.toggle() }
    case .updateProfile(let profile):
      await perform(store: store, keyPath: \.profile) { env in
        try await env.userService.updateProfile(profile)
        return .loaded(LoadingSuccess(value: profile, timestamp: Date()))
      }
    case .stamp:
      await perform(store: store, keyPath: \.timestamp) { env in
        Date()
      }
      modifyLoadedValue(store: store, \.profile) { profile in
        profile.lastLoginDate = Date()
      }
    case .look:
      let isOnline = withEnvironment(store: store, keyPath: \.networkMonitor) { monitor in
        monitor.isConnected
      }
      let user = try? await withEnvironment(store: store, keyPath: \.userService) { service in
        try await service.getCurrentUser()
      }
      modifyValue(store: store, \.isOnline) { $0 = isOnline && user != nil }
    case .signOut:
      broadcast(
        UserDidSignOutMessage(
          originatingFrom: store,
          userId: store.currentUserId
        ), through: store.environment.broadcastStudio)
      broadcast(
        DataUpdatedMessage(originatingFrom: store, dataType: "profile"),
        through: store.environment.broadcastStudio)
    case .handleUserSignOut(let word), .refreshData(let word):
      modifyValue(store: store, \.heard) { $0.append(word) }
    case .timerTick: break
    }
  }

  func setupSubscriptions(store: Store<Self>) {
    subscribe(store: store, keypath: \.broadcastStudio) { studio in
      studio.publisher
    } map: { message in
      switch message {
      case let userSignOut as UserDidSignOutMessage:
        return .handleUserSignOut(userSignOut.userId)
      case let dataUpdate as DataUpdatedMessage:
        return .refreshData(dataUpdate.dataType)
      default:
        return nil
      }
    }
    subscribe(store: store, keypath: \.timerService) { service in
      service
    } map: { _ in
      .timerTick
    }
  }
}

private struct CounterSampleReducer: Reducer {
  struct State { var count = 0 }
  typealias Environment = Void
  func reduce(store: Store<Self>, request: Int) async {
    modifyValue(store: store, \.count) { $0 += request }
  }
}

private struct IdentifiableReducer: Reducer {
  struct State: Identifiable {
    let id = UUID()
    var name: String = ""
  }
  typealias Environment = Void
  func reduce(store: Store<Self>, request: String) async {
    modifyValue(store: store, \.name) { $0 = request }
  }
}

private enum NetworkError: Error, Equatable { case connectionLost }

@MainActor
struct SeedExamplesTests {
  private struct AppEnvironment: Sendable {
    let userService: UserService
    let logger: Logger
  }

  private let environment = UserProfileReducer.Environment(
    userService: UserService(),
    logger: Logger()
  )

  private func makeStore() -> Store<UserProfileReducer> {
    Store<UserProfileReducer>(
      initialState: UserProfileReducer.State(),
      environment: environment
    )
  }

  private func makeHeldStore() -> Store<UserProfileReducer> {
    Store<UserProfileReducer>(
      initialState: UserProfileReducer.State(), environment: environment,
      testContext: TestContext { Issue.record("\($0)") })
  }

  @Test func `a store is made, and requests are sent to it`() async throws {
    let store = makeStore()
    #expect(store.profile == .idle)
    await store.send(.loadProfile)
    #expect(store.profile.value != nil)
    await store.send(.loadSummary)
    #expect(store.summary.value == 3)
    let press: () -> Void = { store.send(.toggleEditing) }  // Non-async version
    press()
    try await until { store.isEditing }
    await store.send(.updateProfile(UserProfile(name: "Ben")))
    #expect(store.profile.value?.name == "Ben")
    await store.send(.stamp)
    #expect(store.timestamp != nil)
    #expect(store.profile.value?.lastLoginDate != nil)
    await store.send(.look)
    #expect(store.isOnline)
  }

  @Test func `a container hands out stores by type and by identity`() async {
    let container = StoreContainer(
      environment: AppEnvironment(userService: UserService(), logger: Logger()))
    let userStore: Store<UserProfileReducer> = container.store(
      state: UserProfileReducer.State()
    ) { appEnv in
      UserProfileReducer.Environment(
        userService: appEnv.userService,
        logger: appEnv.logger
      )
    }
    await userStore.send(.loadProfile)
    #expect(userStore.profile.value?.name == "Ana")
    // For reducers with Void environment
    let simpleStore = container.store(
      type: CounterSampleReducer.self,
      state: CounterSampleReducer.State()
    )
    await simpleStore.send(2)
    #expect(
      container.store(type: CounterSampleReducer.self, state: CounterSampleReducer.State()).count
        == 2)
    let state = IdentifiableReducer.State()
    let named = container.store(type: IdentifiableReducer.self, state: state)
    #expect(container.store(type: IdentifiableReducer.self, state: state) === named)
    #expect(
      container.store(type: IdentifiableReducer.self, state: IdentifiableReducer.State()) !== named)
  }

  @Test func `a test supplies the results`() async throws {
    let store = Store<RecipeReducer>(
      initialState: RecipeReducer.State(),
      environment: (), testContext: TestContext { Issue.record("\($0)") })
    // Send the request that would normally trigger async loading
    await store.send(.fetchRecipes)
    // Use testContext to provide the async result
    store.testContext?.makeValueForAwaitingKeypath(
      for: \.recipes,
      .loaded(LoadingSuccess(value: [.burger, .pizza], timestamp: .now))
    ) { state in
      // Assert the state after the value is set
      #expect(state.recipes.value?.count == 2)
      #expect(state.recipes.value?.contains(.burger) == true)
    }
    await store.send(.fetchRecipes)
    store.testContext?.forget(keypath: \.recipes)
  }

  @Test func `a test supplies failures`() async {
    let store = makeHeldStore()
    #expect(store.profile == .idle)
    await store.send(.loadProfile)
    #expect(store.profile.isLoading())
    store.testContext?.makeValueForAwaitingKeypath(
      for: \.profile,
      .failed(LoadingFailure(failure: NetworkError.connectionLost, timestamp: .now))
    ) { state in
      #expect(state.profile.isFailure == true)
      #expect(state.profile.failure as? NetworkError == .connectionLost)
    }
  }

  @Test func `a box follows a part of a store, transformed or not`() async throws {
    let store = makeStore()
    let userNameBox: BoxedState<UserProfileReducer, LoadableValue<UserProfile, any Error>, String> =
      BoxedState(
        of: \.profile,
        in: store,
        map: { profile in
          profile.value?.name ?? "Unknown"
        }
      )
    let profileBox = BoxedState(of: \.profile, in: store)
    let editingBox = BoxedState(of: \.isEditing, in: store)
    #expect(userNameBox.value == "Unknown")
    #expect(profileBox.value == .idle)
    await store.send(.loadProfile)
    await store.send(.toggleEditing)
    try await until { userNameBox.value == "Ana" && editingBox.value }
    #expect(profileBox.value.value?.name == "Ana")
  }

  @Test func `every state of a loadable value has its words`() {
    var data: LoadableValue<[Int], any Error> = .idle
    #expect(data.isIdle && data == .idle)
    data = .loading
    #expect(data.isLoading())
    data = .loaded(LoadingSuccess(value: [1], timestamp: .distantPast))
    data.modify { items in
      items.append(2)
    }
    #expect(data.value == [1, 2])
    data = .failed(LoadingFailure(failure: NetworkError.connectionLost, timestamp: .distantPast))
    #expect(data.isFailure)
    #expect(
      data == .failed(LoadingFailure(failure: NetworkError.connectionLost, timestamp: .distantPast))
    )
    #expect(
      data
        != .failed(LoadingFailure(failure: CancellationError(), timestamp: .distantPast)))
    if let error = data.failure { #expect(error is NetworkError) }
    data = .cancelled(.now)
    #expect(!data.isFailure)
  }

  @Test func `messages of a feature's own are broadcast and listened to`() async throws {
    let store = makeStore()
    await store.send(.signOut)
    try await until { store.heard == ["ana", "profile"] }
  }
}
