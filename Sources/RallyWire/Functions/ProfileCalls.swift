import FoundationEssentials

public struct FetchProfiles: RemoteFunction {
  public typealias Output = [ProfileRecord]
  public static let name = "fetch_profiles"

  public var userIDs: [UUID]

  public init(userIDs: [UUID]) { self.userIDs = userIDs }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case userIDs = "p_user_ids"
  }
}

/// Changes the caller's own profile; what is nil stays as it is.
public struct UpdateProfile: RemoteMutation {
  public typealias Output = ProfileRecord
  public static let name = "update_profile"

  public var displayName: String?
  public var bio: String?
  public var username: String?

  public init(
    displayName: String? = nil, bio: String? = nil, username: String? = nil
  ) {
    self.displayName = displayName
    self.bio = bio
    self.username = username
  }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case displayName = "p_display_name"
    case bio = "p_bio"
    case username = "p_username"
  }
}
