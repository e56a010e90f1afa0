import FoundationEssentials
import RallyClient
import RallyDomain
import RallySystem
import RallyWire

/// A person with a running client that has no screen: what `rally` does between two keys.
@MainActor
public final class RunningPerson {
  public let name: String
  public let gate: TransportGate
  public private(set) var running: RunningSession
  public private(set) var stores: SharedStores
  private var session: RallySession
  private let make: @MainActor () -> RallySession
  private let folder: TemporaryFolder
  private var task: Task<Void, Never>?
  private var mark = (calls: 0, bytes: 0)

  public var services: AppServices { session.services }
  public var userID: UUID { stores.userID ?? UUID() }
  /// The paths of all requests since `forget`, without sockets.
  public var requests: [String] {
    gate.calls.dropFirst(mark.calls).filter { !$0.hasPrefix(RealtimeTopic.path) }
  }
  /// The bytes of bodies and frames since `forget`.
  public var bytes: Int { gate.bytes - mark.bytes }

  /// What others know of the person.
  public var profile: CommunityProfile {
    CommunityProfile(id: userID, username: name, displayName: name.capitalized)
  }

  /// Creates an account and runs its client, until it is live.
  ///
  /// - Throws: `AuthError` if the sign-up fails.
  public init(
    signingUp name: String, on server: TestServer, policy: RuntimePolicyCoordinator? = nil
  ) async throws {
    let folder = try TemporaryFolder()
    let folders = try RallyFolders(data: folder.path, environment: [:])
    let gate = TransportGate()
    let choice = ServerChoice.remote(try ServerURL(server.url), key: server.key)
    let policy = policy ?? RuntimePolicyCoordinator()
    make = {
      RallySession(server: choice, folders: folders, runtimePolicyCoordinator: policy) {
        AppServices(folders: folders, server: $0, transport: gate.transport)
      }
    }
    self.name = name
    self.folder = folder
    self.gate = gate
    session = make()
    try await session.services.authService.signUp(
      email: "\(name)@example.org", password: Samples.password, username: name,
      displayName: name.capitalized)
    await session.restore()
    guard let stores = session.stores else { throw NetworkError.signedOut }
    self.stores = stores
    running = RunningSession(session, stores)
    await run()
  }

  /// Ends the client and starts it anew, with what was kept.
  ///
  /// - Throws: `NetworkError.signedOut` where no session was kept.
  public func restart() async throws {
    await end()
    session = make()
    await session.restore()
    guard let stores = session.stores else { throw NetworkError.signedOut }
    self.stores = stores
    running = RunningSession(session, stores)
    await run()
  }

  /// Forgets the requests so far.
  public func forget() { mark = (gate.calls.count, gate.bytes) }

  private func run() async {
    forget()
    task = Task { [running] in await running.run() }
    _ = await eventually { self.services.linkService.state == .live }
  }

  public func end() async {
    task?.cancel()
    await task?.value
    await session.close()
  }
}
