import RallyText
import RallyWire

/// One `name=value` of a query string, decoded.
package struct QueryItem: Hashable, Sendable {
  package var name: String
  package var value: String

  /// The items of a query string without the API key, which is the gateway's.
  ///
  /// - Throws: `PGRST100` for bytes that are no UTF-8 text.
  package static func all(in query: String?) throws -> [QueryItem] {
    try Array((query ?? "").utf8).split(separator: UInt8(ascii: "&")).compactMap { part in
      let halves = part.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(halves[0]), let value = decoded(halves.count > 1 ? halves[1] : [])
      else {
        throw FunctionFailure(
          code: FunctionFailure.badQuery, message: "The query string is not UTF-8 text.")
      }
      return name == "apikey" ? nil : QueryItem(name: name, value: value)
    }
  }

  /// Form decoding: `+` is a space, `%41` a byte; a `%` before anything else stands for itself.
  private static func decoded(_ text: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+") {
        bytes.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), let high = rest.first?.hexadecimalValue,
        let low = rest.dropFirst().first?.hexadecimalValue
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
