import FoundationEssentials

/// Keeps the caller's zones and hours with the account: the server applies them to phones, and the
/// other machines of the account take them.
public struct SetPrivacyRules: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "set_privacy_rules"

  /// nil keeps none with the account any more.
  public var rules: PrivacyRules?

  public init(rules: PrivacyRules?) { self.rules = rules }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case rules = "p_rules"
  }
}

/// The zones and hours that the caller keeps with the account. Nobody else gets them.
public struct FetchPrivacyRules: RemoteFunction {
  public typealias Output = AccountPrivacyRules
  public static let name = "fetch_privacy_rules"

  public init() {}

  public enum CodingKeys: CodingKey, CaseIterable {}
}

/// The result of `fetch_privacy_rules`.
public struct AccountPrivacyRules: Hashable, Sendable, Codable {
  /// nil if none are kept with the account.
  public var rules: PrivacyRules?

  public init(rules: PrivacyRules?) { self.rules = rules }
}

/// Deletes the caller's stored position; what is shared with whom stays, and the next report counts.
public struct WithdrawLocation: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "withdraw_location"

  public init() {
  }

  public enum CodingKeys: CodingKey, CaseIterable {}
}
