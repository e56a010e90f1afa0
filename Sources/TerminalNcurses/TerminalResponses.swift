/// Parsed terminal responses; keys typed meanwhile are ignored.
struct TerminalResponses: Hashable {
  /// A CSI response such as `ESC [ ? 62 ; 22 c`: private mark, parameters and final byte.
  struct Control: Hashable {
    var mark: Character?
    var parameters: [Int]
    var end: Character
  }

  var controls: [Control] = []
  /// Contents of OSC responses, `ESC ] … ST`.
  var commands: [String] = []
  /// Contents of DCS responses, `ESC P … ST`.
  var devices: [String] = []

  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while let first = rest.first {
      guard first == 0x1B, rest.count > 1 else {
        rest = rest.dropFirst()
        continue
      }
      switch rest[rest.startIndex + 1] {
      case UInt8(ascii: "["): takeControl(&rest)
      case UInt8(ascii: "]"): if let text = Self.takeText(&rest) { commands.append(text) }
      case UInt8(ascii: "P"): if let text = Self.takeText(&rest) { devices.append(text) }
      default: rest = rest.dropFirst(2)
      }
    }
  }

  private mutating func takeControl(_ rest: inout ArraySlice<UInt8>) {
    let body = rest.dropFirst(2)
    // Parameter and intermediate bytes (ECMA-48).
    guard let end = body.firstIndex(where: { !(0x20...0x3F).contains($0) }) else {
      rest = []
      return
    }
    var text = String(decoding: body[..<end], as: UTF8.self)
    var mark: Character?
    if let first = text.first, "?>=<".contains(first) { mark = text.removeFirst() }
    let numbers = text.filter { $0.isNumber || $0 == ";" }
    controls.append(
      Control(
        mark: mark,
        parameters: numbers.split(separator: ";", omittingEmptySubsequences: false)
          .map { Int($0) ?? 0 }, end: Character(Unicode.Scalar(body[end]))))
    rest = rest[(end + 1)...]
  }

  /// The contents up to BEL or ST; nil if unterminated.
  private static func takeText(_ rest: inout ArraySlice<UInt8>) -> String? {
    let body = rest.dropFirst(2)
    for index in body.indices {
      let isBell = body[index] == 0x07
      guard isBell || body[index...].starts(with: [0x1B, 0x5C]) else { continue }
      rest = rest[(index + (isBell ? 1 : 2))...]
      return String(decoding: body[..<index], as: UTF8.self)
    }
    rest = []
    return nil
  }

  package func contains(mark: Character?, end: Character) -> Bool {
    controls.contains { $0.mark == mark && $0.end == end }
  }
}
