import FoundationEssentials

/// Lets an SSH key in as the caller, where the server's host has a door for SSH.
///
/// Several accounts may add a key. It counts for the one that first came in with it.
public struct AddSSHKey: RemoteMutation {
  public typealias Output = SSHKeyRecord
  public static let name = "add_ssh_key"

  /// Made by the client.
  public var keyID: UUID
  /// What the caller calls the key.
  public var keyName: String
  /// A line of `SSHPublicKey`.
  public var key: String
  /// The door's statement that the caller came in with the key; nil without one.
  public var proof: String?

  public init(keyID: UUID, name: String, key: SSHPublicKey, proof: String? = nil) {
    self.keyID = keyID
    keyName = name
    self.key = key.line
    self.proof = proof
  }

  /// A key's name of 1–40 grapheme clusters (`TextLimits.name`), cleaned and trimmed.
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public static func checkedName(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.name.checked(
      text, on: .text, ifEmpty: "Write a name for the key, such as laptop.")
  }

  public enum CodingKeys: String, ArgumentKey { case key, keyID, keyName = "name", proof }
}

/// The caller's own SSH keys, the oldest first.
public struct FetchSSHKeys: RemoteFunction {
  public typealias Output = [SSHKeyRecord]
  public static let name = "fetch_ssh_keys"

  public init() {}

  public enum CodingKeys: CodingKey, CaseIterable {}
}

/// Lets one of the caller's keys in no longer; connections that are open stay.
public struct RemoveSSHKey: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "remove_ssh_key"

  public var keyID: UUID

  public init(keyID: UUID) { self.keyID = keyID }

  public enum CodingKeys: String, ArgumentKey { case keyID }
}

/// A key that may come in over SSH as its owner: the result of `add_ssh_key` and a row of
/// `fetch_ssh_keys`. Only the owner sees it.
public struct SSHKeyRecord: Hashable, Sendable, Codable, Identifiable {
  public var id: UUID
  @WireText<NameText> public var name: String
  /// As `SSHPublicKey.type`.
  @WireText<LineText> public var type: String
  /// As OpenSSH prints it: `SHA256:` and 43 characters of base64.
  @WireText<LineText> public var fingerprint: String
  public var createdAt: WireTime
  /// When a session began with it last.
  public var lastUsedAt: WireTime?

  public init(
    id: UUID, name: String, type: String, fingerprint: String, createdAt: WireTime,
    lastUsedAt: WireTime? = nil
  ) {
    self.id = id
    self.name = name
    self.type = type
    self.fingerprint = fingerprint
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
  }

  enum CodingKeys: String, CodingKey {
    case id, name, type, fingerprint
    case createdAt = "created_at"
    case lastUsedAt = "last_used_at"
  }
}
