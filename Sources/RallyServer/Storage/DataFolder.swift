import Foundation
import RallyWire

/// The server's folder: private to its owner, with the database, the keys and the lock.
struct DataFolder: Sendable {
  let path: String

  enum Failure: Error, CustomStringConvertible {
    case cannotCreate(path: String, reason: String)
    case damagedKeys(path: String)

    var description: String {
      switch self {
      case .cannotCreate(let path, let reason): "The folder \(path) cannot be used: \(reason)"
      case .damagedKeys(let path):
        "The keys in \(path) cannot be read; restore the file or move it away."
      }
    }
  }

  /// Makes the folder and takes everybody else's rights away.
  init(path: String) throws {
    self.path = path
    try DataFolder.makePrivate(path)
  }

  var databasePath: String { path + "/rally.db" }
  var keysPath: String { path + "/server.json" }

  static func makePrivate(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw Failure.cannotCreate(path: path, reason: error.localizedDescription)
    }
    guard chmod(path, 0o700) == 0 else {
      throw Failure.cannotCreate(path: path, reason: String(cString: strerror(errno)))
    }
  }

  /// Makes a private folder, or checks that an existing one is the owner's alone.
  static func requirePrivate(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0 else { return try makePrivate(path) }
    guard status.st_uid == getuid(), status.st_mode & 0o077 == 0 else {
      throw Failure.cannotCreate(path: path, reason: "it must be yours alone (mode 0700)")
    }
  }

  /// The keys of this folder; made at the first start.
  func keys() throws -> ServerKeys {
    if let data = FileManager.default.contents(atPath: keysPath) {
      guard let keys = try? WireJSON.decode(ServerKeys.self, from: data) else {
        throw Failure.damagedKeys(path: keysPath)
      }
      return keys
    }
    let keys = try ServerKeys()
    try DataFolder.writePrivate(try WireJSON.encode(keys), to: keysPath)
    return keys
  }

  /// Writes a file that only its owner can read: complete and on disk, or not at all.
  static func writePrivate(_ data: Data, to path: String) throws {
    let draft = path + ".new"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw Failure.cannotCreate(path: path, reason: String(cString: strerror(errno)))
    }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    try handle.write(contentsOf: data)
    try handle.synchronize()
    try handle.close()
    guard rename(draft, path) == 0 else {
      throw Failure.cannotCreate(path: path, reason: String(cString: strerror(errno)))
    }
  }
}

/// What signs the tokens of one server, and its public API key.
struct ServerKeys: Sendable, Codable {
  let secret: SecretKey
  let apiKey: String

  /// About ten years, as the hosted service gives its keys.
  private static let apiKeyLifetime: Int64 = 315_360_000

  init() throws {
    secret = .random()
    let now = WireTime.now.microseconds / 1_000_000
    apiKey = try TokenSigner(key: secret).sign(
      AccessClaims(
        issuer: "supabase", expiresAt: now + ServerKeys.apiKeyLifetime, issuedAt: now,
        role: AccessClaims.anonymousRole))
  }

  enum CodingKeys: String, CodingKey {
    case secret = "jwt_secret"
    case apiKey = "anon_key"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let text = try container.decode(String.self, forKey: .secret)
    guard let secret = Base64URL.decode(text).flatMap(SecretKey.init(bytes:)) else {
      throw DecodingError.dataCorruptedError(
        forKey: .secret, in: container, debugDescription: "not 32 bytes")
    }
    self.secret = secret
    apiKey = try container.decode(String.self, forKey: .apiKey)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Base64URL.encode(secret.bytes), forKey: .secret)
    try container.encode(apiKey, forKey: .apiKey)
  }
}
