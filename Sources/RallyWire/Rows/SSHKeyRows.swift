import FoundationEssentials

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
