import FoundationEssentials
import RallyText

/// Text of a UUID (RFC 9562, section 4): Foundation's takes seven times as long in either direction, for
/// each id of each row.
extension UUID {
  private static let length = 36

  /// Lower-case text, the form on the wire and in storage.
  public var wireText: String {
    String(unsafeUninitializedCapacity: UUID.length) { text in
      var place = 0
      withUnsafeBytes(of: uuid) { bytes in
        for (index, byte) in bytes.enumerated() {
          if UUID.hasHyphen(before: index) {
            text[place] = UInt8(ascii: "-")
            place += 1
          }
          text[place] = UUID.digit(byte >> 4)
          text[place + 1] = UUID.digit(byte & 0xF)
          place += 2
        }
      }
      return place
    }
  }

  /// Nil for anything but 32 hexadecimal digits, of either case, in five groups with hyphens between.
  public init?(wireText text: some StringProtocol) {
    var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    var rest = text.utf8.makeIterator()
    let isWhole = withUnsafeMutableBytes(of: &bytes) { bytes in
      for index in bytes.indices {
        if UUID.hasHyphen(before: index), rest.next() != UInt8(ascii: "-") { return false }
        guard let high = rest.next()?.hexadecimalValue, let low = rest.next()?.hexadecimalValue
        else { return false }
        bytes[index] = high << 4 | low
      }
      return rest.next() == nil
    }
    guard isWhole else { return nil }
    self.init(uuid: bytes)
  }

  private static func hasHyphen(before index: Int) -> Bool {
    index == 4 || index == 6 || index == 8 || index == 10
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
