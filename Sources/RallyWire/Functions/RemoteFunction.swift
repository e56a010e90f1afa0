import FoundationEssentials

/// A backend function: the stored properties are its arguments.
///
/// The client encodes a `FunctionCall` of it as the body of `POST /rest/v1/rpc/<name>`; the server
/// decodes the same type.
public protocol RemoteFunction: Codable, Sendable {
  associatedtype Output: Codable & Sendable
  associatedtype CodingKeys: CodingKey & CaseIterable

  static var name: String { get }
  /// The names of its arguments, `p_` included.
  static var arguments: [String] { get }
  /// The names that a body may have: the arguments, and the client id of a mutation.
  static var parameters: [String] { get }
}

extension RemoteFunction {
  public static var arguments: [String] { CodingKeys.allCases.map(\.stringValue) }
  public static var parameters: [String] { arguments }
}

/// A function that changes something. Repeating a call with the same client id has the effect of one
/// call.
public protocol RemoteMutation: RemoteFunction {}

extension RemoteMutation {
  public static var parameters: [String] { arguments + [FunctionCallKeys.clientID.stringValue] }
}

/// A function with its arguments, and for a mutation the id that its repetitions share.
public struct FunctionCall<Function: RemoteFunction>: Codable, Sendable {
  public var function: Function
  public var clientID: UUID?

  public init(_ function: Function, clientID: UUID? = nil) {
    self.function = function
    self.clientID = clientID
  }

  public init(from decoder: any Decoder) throws {
    function = try Function(from: decoder)
    clientID = try decoder.container(keyedBy: FunctionCallKeys.self)
      .decodeIfPresent(UUID.self, forKey: .clientID)
  }

  public func encode(to encoder: any Encoder) throws {
    try function.encode(to: encoder)
    var values = encoder.container(keyedBy: FunctionCallKeys.self)
    try values.encodeIfPresent(clientID, forKey: .clientID)
  }
}

/// The argument beside those of the function.
private enum FunctionCallKeys: String, ArgumentKey {
  case clientID
}

/// The result of a function that returns `void`: 204 without a body.
public struct NoContent: Hashable, Sendable, Codable {
  public init() {}
}

/// The result of a function that returns `void` unless the request asks for it with
/// `Prefer: return=representation`: then 200 with this value.
public protocol RequestedOutput: Codable, Sendable {
  /// What is known where a server does not say it.
  static var unsaid: Self { get }
}

extension RequestedOutput {
  /// The preference that asks for it.
  public static var preference: String { "return=representation" }
}

/// The slice of a list: at most `limit` rows after skipping `offset`.
public enum Paging {
  public static let defaultLimit = 50
  /// The server reduces a larger limit to this.
  public static let maximumLimit = 200
}
