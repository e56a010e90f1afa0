import FoundationEssentials
import RallyText

/// Makes a credential with which an app on a phone reports the caller's position.
public struct AddPhone: RemoteMutation {
  public typealias Output = PhoneRecord
  public static let name = "add_phone"

  /// Made by the client.
  public var phoneID: UUID
  public var app: PhoneApp
  /// What the caller calls the phone.
  public var phoneName: String
  /// See `AccessSecret`; the server keeps its digest only.
  public var secret: String

  public init(phoneID: UUID, app: PhoneApp, name: String, secret: AccessSecret) {
    self.phoneID = phoneID
    self.app = app
    phoneName = name
    self.secret = secret.value
  }

  /// A phone's name of 1–40 grapheme clusters (`TextLimits.name`), cleaned and trimmed.
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public static func checkedName(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.name.checked(
      text, on: .text, ifEmpty: "Write a name for the phone, such as Pixel.")
  }

  public enum CodingKeys: String, ArgumentKey { case app, secret, phoneID, phoneName = "name" }
}

/// The caller's own phones, the oldest first.
public struct FetchPhones: RemoteFunction {
  public typealias Output = [PhoneRecord]
  public static let name = "fetch_phones"

  public init() {}

  public enum CodingKeys: CodingKey, CaseIterable {}
}

/// Ends the credential of one of the caller's phones; its next post gets 401.
public struct RevokePhone: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "revoke_phone"

  public var phoneID: UUID

  public init(phoneID: UUID) { self.phoneID = phoneID }

  public enum CodingKeys: String, ArgumentKey { case phoneID }
}

/// An app that sends a phone's positions to a server of one's own.
public enum PhoneApp: String, Hashable, Sendable, Codable, CaseIterable {
  case owntracks, overland, traccar, gpslogger

  /// Where the app posts to, below the server's address.
  public var path: String { "/phone/\(rawValue)" }
}

/// A phone that may report its owner's position: the result of `add_phone` and a row of
/// `fetch_phones`. Only the owner sees it.
public struct PhoneRecord: Hashable, Sendable, Codable, Identifiable {
  public var id: UUID
  public var app: PhoneApp
  @WireText<NameText> public var name: String
  public var createdAt: WireTime
  /// When the app last sent something with a valid credential.
  public var lastPostAt: WireTime?
  /// When the newest position that was taken from it was measured.
  public var lastFixAt: WireTime?
  /// Why a position of the phone was refused last, as a short sentence; nil if none was.
  @OptionalWireText<LineText> public var problem: String?
  public var problemAt: WireTime?

  public init(
    id: UUID, app: PhoneApp, name: String, createdAt: WireTime, lastPostAt: WireTime? = nil,
    lastFixAt: WireTime? = nil, problem: String? = nil, problemAt: WireTime? = nil
  ) {
    self.id = id
    self.app = app
    self.name = name
    self.createdAt = createdAt
    self.lastPostAt = lastPostAt
    self.lastFixAt = lastFixAt
    self.problem = problem
    self.problemAt = problemAt
  }

  enum CodingKeys: String, CodingKey {
    case id, app, name, problem
    case createdAt = "created_at"
    case lastPostAt = "last_post_at"
    case lastFixAt = "last_fix_at"
    case problemAt = "problem_at"
  }
}
