/// A call of a backend function: the stored properties are its arguments.
///
/// The client encodes the value as the body of `POST /rest/v1/rpc/<name>`; the server decodes the
/// same type and takes the declared argument names from `CodingKeys`.
public protocol RemoteFunction: Codable, Sendable {
  associatedtype Output: Codable & Sendable
  associatedtype CodingKeys: CodingKey & CaseIterable

  static var name: String { get }
}

extension RemoteFunction {
  /// The declared argument names, `p_` included.
  public static var parameters: [String] { CodingKeys.allCases.map(\.stringValue) }
}

/// A function that changes something. Repeating it with the same `clientID` has the effect of
/// one call.
public protocol RemoteMutation: RemoteFunction {
  var clientID: WireID? { get }
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
