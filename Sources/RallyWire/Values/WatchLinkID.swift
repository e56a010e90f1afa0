/// What a link to watch is called on the server: sixteen characters of Crockford's base 32, 80 random
/// bits. It opens nothing without the key of the link, which no server has.
public struct WatchLinkID: Hashable, Sendable, Codable, CustomStringConvertible {
  public static let length = 16

  public let value: String

  /// - Returns: nil for anything but sixteen characters of the alphabet, in upper case.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == WatchLinkID.length,
      text.allSatisfy(InvitationCode.alphabet.contains)
    else { return nil }
    value = String(text)
  }

  /// - Parameter numbers: Sixteen numbers; the lowest five bits of each are used.
  public init?(randomNumbers numbers: [UInt8]) {
    guard numbers.count == WatchLinkID.length else { return nil }
    value = String(numbers.map { InvitationCode.alphabet[Int($0 & 31)] })
  }

  public var description: String { value }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = WatchLinkID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no id of a link")
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
