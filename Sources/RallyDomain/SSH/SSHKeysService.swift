import FoundationEssentials
import Logging
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
