import FoundationEssentials
import Logging
import Observation
import RallyClient
import RallySystem
import RallyWire

/// My keys that come in over SSH, where the server's host has a door for it.
///
/// Every mutation carries a client id: repeating it with the same one has the effect of one call.
public final class SSHKeysService: Sendable {
  public static let shared = SSHKeysService(client: .shared)

  private let client: ServiceClient
  private let log = RallyLog.logger("SSHKeys")

  public init(client: SupabaseClient) { self.client = client.logging(by: log) }

  /// - Parameters:
  ///   - name: As `AddSSHKey.checkedName` returns it.
  ///   - proof: The door's statement that I came in with the key.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func addKey(
    _ key: SSHPublicKey, name: String, proof: String? = nil, id: UUID = UUID(),
    clientID: UUID = UUID()
  ) async throws -> SSHKeyRecord {
    log.info("addKey — type: \(key.type)")
    return try await client.call(
      AddSSHKey(keyID: id, name: name, key: key, proof: proof), clientID: clientID)
  }

  /// My keys, the oldest first.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchKeys() async throws -> [SSHKeyRecord] {
    log.info("fetchKeys")
    return try await Pages.whole { [client] in try await client.page(FetchSSHKeys(), offset: $0) }
  }

  /// Lets a key in no longer.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func removeKey(_ id: UUID, clientID: UUID = UUID()) async throws {
    log.info("removeKey")
    _ = try await client.call(RemoveSSHKey(keyID: id), clientID: clientID)
  }
}

/// My SSH keys, which come in as me where the server's host has a door for SSH.
@MainActor
@Observable
public final class SSHKeysStore: OrderedCalls {
  // MARK: - Dependencies
  @ObservationIgnored private let sshKeysService: SSHKeysService
  public let server: ServerChoice

  // MARK: - State
  /// The oldest first.
  public private(set) var keys: [SSHKeyRecord] = []
  /// What `keys` is doing.
  public internal(set) var loadState: CommunityLoadState = .loading
  /// Whether a key is being added or removed.
  public internal(set) var isChanging = false
  /// The latest failure to show; the next call clears it.
  public internal(set) var presentedError: CommunityViewError?

  @ObservationIgnored var fetching: Task<Void, Never>?
  @ObservationIgnored let log = RallyLog.logger("SSHKeys")
  @ObservationIgnored let failureTitle = "SSH keys are not up to date"

  // MARK: - Lifecycle

  public init(sshKeysService: SSHKeysService = .shared, server: ServerChoice) {
    self.sshKeysService = sshKeysService
    self.server = server
  }

  // MARK: - Intents

  /// Why the last fetch or change failed, as one sentence; nil if it did not.
  public var problem: String? { failureSentence }

  /// Whether `keys` is being fetched or changed.
  public var isBusy: Bool { loadState.isBusy }

  /// Fetches my keys; on failure the known ones stay.
  ///
  /// - What: Fills `keys`.
  /// - How: `loadState` says how it went.
  /// - Why: A forgotten key lets somebody in as me.
  /// - Service Calls: `SSHKeysService.fetchKeys`
  public func fetchKeys() async {
    await inFront { [self] in
      let service = sshKeysService
      let outcome = await load("fetchKeys") { try await service.fetchKeys() }
      if let keys = outcome.value { self.keys = keys }
    }
  }

  /// Lets a key in as me.
  ///
  /// - What: The key is in `keys` once the server took it.
  /// - How: Reads the line first: what is no key is `.invalid`, and nothing is sent. A fetch on its way
  ///   ends first; of two changes at once the second is not sent.
  /// - Why: It counts only once I came in with it, so that nobody lets in a key of others.
  /// - Service Calls: `SSHKeysService.addKey`
  /// - Parameter line: Of a `.pub` file.
  public func add(_ line: String) async -> IntentOutcome<SSHKeyRecord> {
    let key: SSHPublicKey
    let name: String
    do throws(FieldProblem) {
      key = try SSHPublicKey(line: line)
      name = try AddSSHKey.checkedName(key.usualName)
    } catch {
      return .invalid(error)
    }
    return await inTurn {
      let service = sshKeysService
      let outcome = await change("add") { try await service.addKey(key, name: name) }
      if let added = outcome.value { keys.append(added) }
      return outcome
    }
  }

  /// Lets a key in no longer.
  ///
  /// - What: The key is gone from `keys` once the server agreed.
  /// - How: A fetch on its way ends first; of two changes at once the second is not sent.
  /// - Why: A key that got lost must open nothing.
  /// - Service Calls: `SSHKeysService.removeKey`
  public func remove(_ key: SSHKeyRecord) async -> IntentOutcome<SSHKeyRecord> {
    await inTurn {
      let service = sshKeysService
      let outcome = await change("remove") {
        try await service.removeKey(key.id)
        return key
      }
      if outcome.isDone { keys.removeAll { $0.id == key.id } }
      return outcome
    }
  }
}
