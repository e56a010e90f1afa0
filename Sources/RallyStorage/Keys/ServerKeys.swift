import Foundation
import RallyWire
import Synchronization

/// The signing secret of a server, its retired secrets, its public API key, and the secret of delays.
package struct ServerKeys: Sendable, Codable {
  /// A secret that no longer signs; tokens signed with it stay valid until they expire.
  private struct Retired: Sendable, Codable {
    var secret: SecretKey
    /// Seconds since 1970.
    var retiredAt: Int64

    enum CodingKeys: String, CodingKey {
      case secret = "jwt_secret"
      case retiredAt = "retired_at"
    }
  }

  /// Signs new tokens, from `activeFrom` on.
  package let secret: SecretKey
  /// Seconds since 1970; before, the secret only verifies, so that every server has it once one
  /// signs with it. nil for always.
  private var activeFrom: Int64?
  /// Identifies clients of this server, not a user; a new secret does not change it.
  package let apiKey: String
  private let retired: [Retired]
  /// nil in keys of an earlier version that were not rotated since.
  private let ownMoveSecret: SecretKey?

  /// From which the delays of moves between cells follow (`MoveDelay.derived`), and the marks of
  /// remembered cells (`CellMarks`). A new signing secret does not change it: other delays for the
  /// same crossings, or a cell that is not recognised, would reveal more of where somebody is.
  package var moveSecret: SecretKey { ownMoveSecret ?? secret }

  /// About ten years, as the hosted service gives its keys.
  private static let apiKeyLifetime: Int64 = 315_360_000
  /// Seconds after which refresh tokens of a retired secret are refused.
  private static let retention: Int64 = 90 * 86_400
  /// Seconds for which access tokens of a retired secret are accepted, so that a leaked secret
  /// becomes useless.
  private static let gracePeriod: Int64 = 86_400

  package init() throws {
    let secret = SecretKey.random()
    let now = WireTime.now.microseconds / 1_000_000
    self.init(
      secret: secret,
      apiKey: try TokenSigner(keys: KeyRing(ServerKeys(secret: secret, apiKey: "")))
        .sign(
          AccessClaims(
            issuer: "supabase", expiresAt: now + ServerKeys.apiKeyLifetime, issuedAt: now,
            role: AccessClaims.anonymousRole)),
      moveSecret: .random())
  }

  private init(
    secret: SecretKey, apiKey: String, retired: [Retired] = [], moveSecret: SecretKey? = nil
  ) {
    self.secret = secret
    self.apiKey = apiKey
    self.retired = retired
    ownMoveSecret = moveSecret
  }

  /// The same server with a new secret.
  ///
  /// - Parameter start: When the new one begins to sign; nil for at once.
  func rotated(at time: WireTime, signingFrom start: WireTime? = nil) -> ServerKeys {
    let now = time.microseconds / 1_000_000
    let activeFrom = start.map { $0.microseconds / 1_000_000 }
    let kept = retired.filter { now - $0.retiredAt < ServerKeys.retention }
    var keys = ServerKeys(
      secret: .random(), apiKey: apiKey,
      retired: [Retired(secret: secret, retiredAt: activeFrom ?? now)] + kept,
      // A signing secret that may have leaked decides no delays any longer.
      moveSecret: ownMoveSecret ?? .random())
    keys.activeFrom = activeFrom
    return keys
  }

  /// The secret that signs at a time. One that would begin later than servers need to read it was
  /// made before the clock was put back.
  func signing(at time: WireTime) -> SecretKey {
    let wait = Int64(KeyVault.activation / .seconds(1))
    guard let activeFrom, (1...wait).contains(activeFrom - time.microseconds / 1_000_000)
    else { return secret }
    return retired.first?.secret ?? secret
  }

  /// The signing secret first.
  var all: [SecretKey] { [secret] + retired.map(\.secret) }

  /// Whether a secret still verifies these claims; their own expiry is checked elsewhere.
  func accepts(_ claims: AccessClaims, signedBy key: SecretKey) -> Bool {
    guard let old = retired.first(where: { $0.secret == key }) else { return true }
    return claims.role == AccessClaims.anonymousRole
      || claims.expiresAt <= old.retiredAt + ServerKeys.gracePeriod
  }

  // MARK: - In the file

  enum CodingKeys: String, CodingKey {
    case retired
    case secret = "jwt_secret"
    case apiKey = "anon_key"
    case activeFrom = "active_from"
    case moveSecret = "move_secret"
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    secret = try container.decode(SecretKey.self, forKey: .secret)
    apiKey = try container.decode(String.self, forKey: .apiKey)
    retired = try container.decodeIfPresent([Retired].self, forKey: .retired) ?? []
    activeFrom = try container.decodeIfPresent(Int64.self, forKey: .activeFrom)
    ownMoveSecret = try container.decodeIfPresent(SecretKey.self, forKey: .moveSecret)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(secret, forKey: .secret)
    try container.encode(apiKey, forKey: .apiKey)
    if !retired.isEmpty { try container.encode(retired, forKey: .retired) }
    try container.encodeIfPresent(activeFrom, forKey: .activeFrom)
    try container.encodeIfPresent(ownMoveSecret, forKey: .moveSecret)
  }
}

extension SecretKey: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let secret = Base64URL.decode(text).flatMap(SecretKey.init(bytes:)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not 32 bytes")
    }
    self = secret
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Base64URL.encode(bytes))
  }
}

/// The keys that a running server uses, which can be replaced while it runs.
package final class KeyRing: Sendable {
  private let keys: Mutex<ServerKeys>

  package init(_ keys: ServerKeys) { self.keys = Mutex(keys) }

  package var current: ServerKeys { keys.withLock { $0 } }

  package var apiKey: String { current.apiKey }

  package func replace(with fresh: ServerKeys) { keys.withLock { $0 = fresh } }
}

extension DataFolder {
  var keysPath: String { DataFolder.keysPath(in: path) }

  private static func keysPath(in folder: String) -> String { folder + "/server.json" }

  /// The keys of this folder; created at the first start.
  package func keys() throws -> ServerKeys {
    if let (keys, _) = try DataFolder.storedKeys(in: path) {
      // A restored copy may have other permissions.
      chmod(keysPath, 0o600)
      return keys
    }
    let keys = try ServerKeys()
    try DataFolder.writePrivate(try WireJSON.encode(keys), to: keysPath)
    return keys
  }

  /// The keys in a folder, and their file; nil if there is none. Throws if it cannot be read, since
  /// new keys would sign everybody out.
  package static func storedKeys(in folder: String) throws -> (keys: ServerKeys, file: Data)? {
    let path = keysPath(in: folder)
    let file: (data: Data, mode: mode_t)?
    do {
      file = try PrivateFile.read(path)
    } catch {
      throw Failure.unreadableKeys(path: path, reason: "\(error)")
    }
    guard let data = file?.data else { return nil }
    guard let keys = try? WireJSON.decode(ServerKeys.self, from: data) else {
      throw Failure.damagedKeys(path: path)
    }
    return (keys, data)
  }

  /// The keys of an existing folder, and their file.
  package static func requireKeys(in folder: String) throws -> (keys: ServerKeys, file: Data) {
    guard let stored = try storedKeys(in: folder) else {
      throw Failure.missingKeys(path: keysPath(in: folder))
    }
    return stored
  }

  /// Replaces the signing secret; the old one is kept to verify its tokens.
  ///
  /// - Throws: `Failure`; then nothing has changed.
  package func rotateSecret(at time: WireTime = .now) throws {
    try DataFolder.writePrivate(try WireJSON.encode(try keys().rotated(at: time)), to: keysPath)
  }
}
