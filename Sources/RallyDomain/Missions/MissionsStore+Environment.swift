import RallyEnvironment
import RallyWire

extension MissionsStore {
  /// A store on no server: every call fails with `.notConfigured`, no listener starts.
  public static func inert() -> MissionsStore {
    let client = SupabaseClient()
    return MissionsStore(
      authService: AuthService(client: client), missionsService: MissionsService(client: client),
      missionActivityRealtimeService: MissionActivityRealtimeService(client: client),
      persistenceService: PersistenceService(), statePersistenceService: PersistenceService(),
      currentLocationProvider: .shared)
  }
}

private struct MissionsStoreKey: EnvironmentKey {
  @MainActor static let defaultValue = MissionsStore.inert()
}

extension EnvironmentValues {
  public var missionsStore: MissionsStore {
    get { self[MissionsStoreKey.self] }
    set { self[MissionsStoreKey.self] = newValue }
  }
}
