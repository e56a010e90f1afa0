import Dispatch
import Glibc
import RallyText
import TerminalKit

/// Queries a terminal's background colour.
///
/// Sends `OSC 11 ; ?` followed by a device attributes request (DA1), which every terminal answers:
/// after the DA1 response no OSC 11 response will come. Source: "XTerm Control Sequences",
/// Operating System Commands and Primary DA.
enum BackgroundQuery {
  static let request = "\u{1b}]11;?\u{1b}\\\u{1b}[c"

  struct Answer: Equatable {
    /// nil if the terminal did not report its background.
    var isLight: Bool?
    /// Bytes typed while waiting.
    var typed: [UInt8]
    /// Whether the terminal has answered all that it was asked.
    var hasEnded = false
  }

  /// How long after a question its answer may still come, over a slow connection.
  static let lateLimit = Duration.seconds(2)

  /// Blocks until the terminal has answered or `limit` has passed.
  ///
  /// - Parameters:
  ///   - limit: Timeout of the response.
  ///   - environment: Reads `COLORFGBG`, set by rxvt and others, if the terminal does not answer.
  static func ask(
    input: Int32, output: Int32, limit: Duration = .milliseconds(100),
    environment: [String: String] = [:]
  ) -> Answer {
    var bytes: [UInt8] = []
    writeAll(Array(request.utf8), to: output)
    let hasEnded = read(into: &bytes, from: input, until: .now + limit)
    var answer = parse(bytes)
    answer.hasEnded = hasEnded
    if answer.isLight == nil { answer.isLight = isLight(colors: environment["COLORFGBG"]) }
    return answer
  }

  /// Reads until the last answer has come; false if it has not until the deadline.
  static func read(
    into bytes: inout [UInt8], from input: Int32, until deadline: ContinuousClock.Instant
  ) -> Bool {
    while !hasEnded(bytes) {
      let left = (deadline - .now).inSeconds
      guard left > 0 else { return false }
      var waiting = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, Int32((left * 1000).rounded(.up))) > 0 else { return false }
      var buffer = [UInt8](repeating: 0, count: 1024)
      let count = Glibc.read(input, &buffer, buffer.count)
      guard count > 0 else { return false }
      bytes += buffer[..<count]
    }
    return true
  }

  /// Extracts both responses from the bytes read; the rest was typed.
  static func parse(_ bytes: [UInt8]) -> Answer {
    var answer = Answer(isLight: nil, typed: [])
    var rest = bytes[...]
    while let first = rest.first {
      if let end = colorEnd(rest) {
        answer.isLight = isLight(
          report: String(decoding: rest[rest.startIndex + 5..<end.text], as: UTF8.self))
        rest = rest[end.next...]
      } else if let next = attributesEnd(rest) {
        rest = rest[next...]
      } else {
        answer.typed.append(first)
        rest = rest.dropFirst()
      }
    }
    return answer
  }

  /// Whether the answer to the last question is among the bytes.
  static func hasEnded(_ bytes: [UInt8]) -> Bool {
    bytes.indices.contains { attributesEnd(bytes[$0...]) != nil }
  }

  /// The end of `ESC ] 11 ; …`, terminated by BEL or `ESC \`.
  private static func colorEnd(_ bytes: ArraySlice<UInt8>) -> (text: Int, next: Int)? {
    guard bytes.starts(with: Array("\u{1b}]11;".utf8)) else { return nil }
    for index in bytes.indices {
      if bytes[index] == 0x07 { return (index, index + 1) }
      if bytes[index...].starts(with: [0x1B, 0x5C]) { return (index, index + 2) }
    }
    return nil
  }

  /// The end of a DA1 response, `ESC [ ? … c`.
  private static func attributesEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.starts(with: Array("\u{1b}[?".utf8)) else { return nil }
    let body = bytes.dropFirst(3)
    guard let end = body.firstIndex(where: { !(0x30...0x3B).contains($0) }),
      body[end] == UInt8(ascii: "c")
    else { return nil }
    return end + 1
  }

  /// Parses `rgb:1c1c/1c1c/1c1c`, `rgba:…` or `#1c1c1c` (XParseColor formats). Light means a Rec.
  /// 601 luma above 0.5.
  static func isLight(report: String) -> Bool? {
    let channels: [Double]
    if let colon = report.firstIndex(of: ":"), report.hasPrefix("rgb") {
      let parts = report[report.index(after: colon)...].split(separator: "/").prefix(3)
      channels = parts.compactMap { part in
        UInt32(part, radix: 16).map { Double($0) / Double((1 << (4 * part.count)) - 1) }
      }
    } else if report.hasPrefix("#"), (report.count - 1).isMultiple(of: 3), report.count > 3 {
      let digits = Array(report.dropFirst())
      let width = digits.count / 3
      channels = (0..<3).compactMap { channel in
        UInt32(String(digits[channel * width..<(channel + 1) * width]), radix: 16)
          .map { Double($0) / Double((1 << (4 * width)) - 1) }
      }
    } else {
      return nil
    }
    guard channels.count == 3 else { return nil }
    return 0.299 * channels[0] + 0.587 * channels[1] + 0.114 * channels[2] > 0.5
  }

  /// Parses `COLORFGBG`, such as `15;0` or `15;default;0`: the last number is the background
  /// colour; 7 and 9…15 are light.
  static func isLight(colors: String?) -> Bool? {
    guard let last = colors?.split(separator: ";").last, let number = Int(last) else { return nil }
    return number == 7 || (9...15).contains(number)
  }
}
