import FoundationEssentials
import RallyText

/// Several reads in one request, of which only those are answered in full that differ from what the
/// caller has.
///
/// The answers are in the order of the reads, each as the function alone would answer it now. A read
/// that is refused has its refusal, and the others their answers. Nothing is asked before it is known
/// whether the server has this function, and servers without it refuse with `unknownFunction`.
public struct CatchUp: RemoteFunction {
  public typealias Output = [Answer]
  public static let name = "catch_up"
  /// More reads than this in one request are refused.
  public static let mostReads = 16

  public var reads: [Read]

  public init(reads: [Read]) { self.reads = reads }

  public enum CodingKeys: String, ArgumentKey { case reads }

  /// A call of a function that changes nothing.
  public struct Read: Hashable, Sendable, Codable {
    public var function: String
    public var arguments: JSONValue
    /// How many rows of the result are skipped.
    public var offset: Int?
    /// The digest of the answer that the caller has.
    public var digest: String?

    public init(function: String, arguments: JSONValue, offset: Int? = nil, digest: String? = nil) {
      self.function = function
      self.arguments = arguments
      self.offset = offset
      self.digest = digest
    }
  }

  /// The answer to one read: a value, a refusal, or neither. Neither with the digest of the read
  /// means that nothing changed. Without a digest it means that the answers before were long
  /// enough, and that the function is to be called alone.
  public struct Answer: Hashable, Sendable, Codable {
    /// A digest of the value, the reader and the read. It means nothing to anybody but the server.
    public var digest: String?
    /// What the function alone answers.
    public var value: JSONValue?
    /// Whether no rows follow those of the value.
    public var isWhole: Bool?
    public var failure: FunctionFailure?
    /// The status of the refusal.
    public var status: Int?

    public init(
      digest: String? = nil, value: JSONValue? = nil, isWhole: Bool? = nil,
      failure: FunctionFailure? = nil, status: Int? = nil
    ) {
      self.digest = digest
      self.value = value
      self.isWhole = isWhole
      self.failure = failure
      self.status = status
    }

    public enum CodingKeys: String, CodingKey {
      case digest, value, failure, status
      case isWhole = "is_whole"
    }

    /// An answer from the value of its JSON, without text in between; nil for another shape.
    public init?(_ json: JSONValue) {
      guard let members = json.object else { return nil }
      self.init(
        digest: members[CodingKeys.digest.rawValue]?.string,
        value: members[CodingKeys.value.rawValue],
        isWhole: members[CodingKeys.isWhole.rawValue]?.bool,
        failure: (members[CodingKeys.failure.rawValue] ?? .null) == .null
          ? nil : try? members[CodingKeys.failure.rawValue]?.decoded(as: FunctionFailure.self),
        status: members[CodingKeys.status.rawValue]?.integer.map(Int.init))
      if value == .null { value = nil }
    }
  }
}
