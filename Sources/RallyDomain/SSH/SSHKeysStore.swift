import Logging
import Observation
import RallyClient
import RallyEnvironment
import RallySystem
import RallyWire

/// My SSH keys, which come in as me where the server's host has a door for SSH.
@MainActor
@Observable
public final class SSHKeysStore: CallLoading {
  // MARK: - Dependencies
  @ObservationIgnored private let sshKeysService: SSHKeysService
  public let server: ServerChoice

  // MARK: - State
  /// The oldest first.
  public private(set) var keys: [SSHKeyRecord] = []
  /// What `keys` is doing.
  public internal(set) var loadState: CommunityLoadState = .loading

  @ObservationIgnored let log = RallyLog.logger("SSHKeys")
  @ObservationIgnored let failureTitle = "SSH keys are not up to date"

  // MARK: - Lifecycle

  public init(sshKeysService: SSHKeysService, server: ServerChoice) {
    self.sshKeysService = sshKeysService
    self.server = server
  }

  // MARK: - Intents

  /// Whether `keys` is being fetched or changed.
  public var isBusy: Bool { loadState.isBusy }

  /// Fetches my keys; on failure the known ones stay.
  ///
  /// - Service Calls: `SSHKeysService.fetchKeys`
  public func fetchKeys() async {
    let service = sshKeysService
    let outcome = await change("fetchKeys") { try await service.fetchKeys() }
    if let keys = outcome.value { self.keys = keys }
  }

  /// Lets a key in as me.
  ///
  /// - Parameter line: Of a `.pub` file.
  /// - Service Calls: `SSHKeysService.addKey`
  public func add(_ line: String) async -> IntentOutcome<SSHKeyRecord> {
    let key: SSHPublicKey
    let name: String
    do throws(FieldProblem) {
      key = try SSHPublicKey(line: line)
      name = try AddSSHKey.checkedName(key.usualName)
    } catch {
      return .invalid(error)
    }
    guard !isBusy else { return .notStarted }
    let service = sshKeysService
    let outcome = await change("add") { try await service.addKey(key, name: name) }
    if let added = outcome.value { keys.append(added) }
    return outcome
  }

  /// Lets a key in no longer.
  ///
  /// - Service Calls: `SSHKeysService.removeKey`
  public func remove(_ key: SSHKeyRecord) async -> IntentOutcome<SSHKeyRecord> {
    guard !isBusy else { return .notStarted }
    let service = sshKeysService
    let outcome = await change("remove") {
      try await service.removeKey(key.id)
      return key
    }
    if outcome.isDone { keys.removeAll { $0.id == key.id } }
    return outcome
  }
}

private struct SSHKeysStoreKey: EnvironmentKey {
  /// A store without a server: every call fails with `.notConfigured`.
  @MainActor static let defaultValue = SSHKeysStore(
    sshKeysService: SSHKeysService(client: SupabaseClient()), server: .embedded)
}

extension EnvironmentValues {
  public var sshKeysStore: SSHKeysStore {
    get { self[SSHKeysStoreKey.self] }
    set { self[SSHKeysStoreKey.self] = newValue }
  }
}
