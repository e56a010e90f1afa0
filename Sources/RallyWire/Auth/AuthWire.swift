import FoundationEssentials
import RallyText

/// Who may create an account on a server.
public enum SignUpPolicy: String, Hashable, Sendable, Codable, CaseIterable {
  case open
  /// Anyone with an invitation code of an existing user.
  case invited
  case closed
}

/// The fields of `GET /auth/v1/settings` that the client reads.
public struct AuthSettings: Hashable, Sendable, Codable {
  /// GoTrue's key; every server sends it.
  public var isSignUpDisabled: Bool
  /// Rally's own key; nil on the hosted service.
  public var policy: SignUpPolicy?
  /// Rally's own key: how the group reaches the server, for links; nil if it does not say.
  @OptionalWireText<LineText> public var publicURL: String?
  /// Rally's own key: the command that comes in by SSH; nil without such a door.
  @OptionalWireText<LineText> public var ssh: String?

  public static let publicURLKey = CodingKeys.publicURL.rawValue
  public static let sshKey = CodingKeys.ssh.rawValue

  public init(policy: SignUpPolicy, publicURL: String? = nil, ssh: String? = nil) {
    isSignUpDisabled = policy == .closed
    self.policy = policy
    self.publicURL = publicURL
    self.ssh = ssh
  }

  /// The policy that follows from both keys.
  public var signUp: SignUpPolicy { isSignUpDisabled ? .closed : policy ?? .open }

  enum CodingKeys: String, CodingKey {
    case isSignUpDisabled = "disable_signup"
    case policy = "rally_signup"
    case publicURL = "rally_public_url"
    case ssh = "rally_ssh"
  }
}

/// Body of `POST /auth/v1/signup`. Unknown fields of official clients are ignored.
public struct SignUpBody: Hashable, Sendable, Codable {
  public var email: String
  public var password: String
  public var data: SignUpData?

  public init(email: String, password: String, data: SignUpData?) {
    self.email = email
    self.password = password
    self.data = data
  }
}

/// The profile that a sign-up requests; stored as the user's metadata.
public struct SignUpData: Hashable, Sendable, Codable {
  public var username: String?
  public var displayName: String?
  /// The invitation code, where sign-up requires one; not stored in the metadata.
  public var invitationCode: String?

  public init(username: String?, displayName: String?, invitationCode: String? = nil) {
    self.username = username
    self.displayName = displayName
    self.invitationCode = invitationCode
  }

  enum CodingKeys: String, CodingKey {
    case username
    case displayName = "display_name"
    case invitationCode = "invitation_code"
  }
}

/// Body of `POST /auth/v1/token?grant_type=password`.
public struct PasswordGrantBody: Hashable, Sendable, Codable {
  public var email: String
  public var password: String

  public init(email: String, password: String) {
    self.email = email
    self.password = password
  }
}

/// Body of `POST /auth/v1/token?grant_type=refresh_token`.
public struct RefreshGrantBody: Hashable, Sendable, Codable {
  public var refreshToken: String

  public init(refreshToken: String) { self.refreshToken = refreshToken }

  enum CodingKeys: String, CodingKey { case refreshToken = "refresh_token" }
}

/// `scope` of `POST /auth/v1/logout`.
public enum LogoutScope: String, Hashable, Sendable {
  case global, local, others
}

/// The fields of a GoTrue session that the client reads; the server writes the full object.
public struct AuthSession: Hashable, Sendable, Codable {
  public var accessToken: String
  public var tokenType: String
  /// Seconds from now.
  public var expiresIn: Int
  /// Seconds since 1970.
  public var expiresAt: Int
  public var refreshToken: String
  public var user: AuthUser

  public init(
    accessToken: String, tokenType: String = "bearer", expiresIn: Int, expiresAt: Int,
    refreshToken: String, user: AuthUser
  ) {
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.expiresIn = expiresIn
    self.expiresAt = expiresAt
    self.refreshToken = refreshToken
    self.user = user
  }

  enum CodingKeys: String, CodingKey {
    case user
    case accessToken = "access_token"
    case tokenType = "token_type"
    case expiresIn = "expires_in"
    case expiresAt = "expires_at"
    case refreshToken = "refresh_token"
  }
}

/// A GoTrue user. Times are RFC 3339 with `Z`; unset ones are left out.
public struct AuthUser: Hashable, Sendable, Codable, Identifiable {
  public var id: UUID
  public var aud: String
  public var role: String?
  public var email: String?
  public var phone: String?
  public var emailConfirmedAt: String?
  public var confirmedAt: String?
  public var lastSignInAt: String?
  public var appMetadata: [String: JSONValue]
  public var userMetadata: [String: JSONValue]
  public var identities: [AuthIdentity]?
  public var createdAt: String
  public var updatedAt: String
  public var isAnonymous: Bool?

  public init(
    id: UUID, aud: String = "authenticated", role: String? = "authenticated", email: String?,
    phone: String? = "", emailConfirmedAt: String? = nil, confirmedAt: String? = nil,
    lastSignInAt: String? = nil, appMetadata: [String: JSONValue],
    userMetadata: [String: JSONValue], identities: [AuthIdentity]? = nil, createdAt: String,
    updatedAt: String, isAnonymous: Bool? = false
  ) {
    self.id = id
    self.aud = aud
    self.role = role
    self.email = email
    self.phone = phone
    self.emailConfirmedAt = emailConfirmedAt
    self.confirmedAt = confirmedAt
    self.lastSignInAt = lastSignInAt
    self.appMetadata = appMetadata
    self.userMetadata = userMetadata
    self.identities = identities
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.isAnonymous = isAnonymous
  }

  enum CodingKeys: String, CodingKey {
    case id, aud, role, email, phone, identities
    case emailConfirmedAt = "email_confirmed_at"
    case confirmedAt = "confirmed_at"
    case lastSignInAt = "last_sign_in_at"
    case appMetadata = "app_metadata"
    case userMetadata = "user_metadata"
    case createdAt = "created_at"
    case updatedAt = "updated_at"
    case isAnonymous = "is_anonymous"
  }
}

/// One way of signing in that belongs to a user.
public struct AuthIdentity: Hashable, Sendable, Codable {
  public var identityID: UUID
  public var id: String
  public var userID: UUID
  public var identityData: [String: JSONValue]
  public var provider: String
  public var lastSignInAt: String
  public var createdAt: String
  public var updatedAt: String
  public var email: String?

  public init(
    identityID: UUID, id: String, userID: UUID, identityData: [String: JSONValue],
    provider: String = "email", lastSignInAt: String, createdAt: String, updatedAt: String,
    email: String?
  ) {
    self.identityID = identityID
    self.id = id
    self.userID = userID
    self.identityData = identityData
    self.provider = provider
    self.lastSignInAt = lastSignInAt
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.email = email
  }

  enum CodingKeys: String, CodingKey {
    case id, provider, email
    case identityID = "identity_id"
    case userID = "user_id"
    case identityData = "identity_data"
    case lastSignInAt = "last_sign_in_at"
    case createdAt = "created_at"
    case updatedAt = "updated_at"
  }
}

/// A refusal under `/auth/v1` in the form of API version 2024-01-01.
public struct AuthFailure: Error, Hashable, Sendable, Codable {
  public var code: AuthFailureCode
  public var message: String

  public init(_ code: AuthFailureCode, _ message: String) {
    self.code = code
    self.message = message
  }

  /// Header name and value that select this form; the answer must echo it.
  public static let versionHeader = "X-Supabase-Api-Version"
  public static let version = "2024-01-01"
}

/// GoTrue's error codes that Rally uses, and one of its own (`username_taken`).
public struct AuthFailureCode: RawRepresentable, Hashable, Sendable, Codable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let invalidCredentials = Self(rawValue: "invalid_credentials")
  public static let userAlreadyExists = Self(rawValue: "user_already_exists")
  public static let usernameTaken = Self(rawValue: "username_taken")
  public static let weakPassword = Self(rawValue: "weak_password")
  public static let validationFailed = Self(rawValue: "validation_failed")
  public static let badJSON = Self(rawValue: "bad_json")
  public static let signupDisabled = Self(rawValue: "signup_disabled")
  public static let noAuthorization = Self(rawValue: "no_authorization")
  public static let badJWT = Self(rawValue: "bad_jwt")
  public static let sessionNotFound = Self(rawValue: "session_not_found")
  public static let sessionExpired = Self(rawValue: "session_expired")
  public static let userNotFound = Self(rawValue: "user_not_found")
  public static let userBanned = Self(rawValue: "user_banned")
  public static let samePassword = Self(rawValue: "same_password")
  public static let emailExists = Self(rawValue: "email_exists")
  public static let refreshTokenNotFound = Self(rawValue: "refresh_token_not_found")
  public static let refreshTokenAlreadyUsed = Self(rawValue: "refresh_token_already_used")
  public static let anonymousProviderDisabled = Self(rawValue: "anonymous_provider_disabled")
  public static let phoneProviderDisabled = Self(rawValue: "phone_provider_disabled")
  public static let reauthenticationNeeded = Self(rawValue: "reauthentication_needed")
  public static let notAdmin = Self(rawValue: "not_admin")
  public static let conflict = Self(rawValue: "conflict")
  /// Rally's own: there is no such endpoint.
  public static let notFound = Self(rawValue: "not_found")
  public static let overRequestRateLimit = Self(rawValue: "over_request_rate_limit")
  public static let unexpectedFailure = Self(rawValue: "unexpected_failure")
}
