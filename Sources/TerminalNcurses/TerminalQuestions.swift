import Glibc
import RallyText
import TerminalKit

/// What a terminal is asked at the start: its answers count whenever they come, and none is waited
/// for.
///
/// The last question is for the device attributes (DA1), which every terminal answers: after its
/// answer no other will come.
enum TerminalQuestions {
  /// Frames are shown whole (mode 2026) and the desktop's colours reported (mode 2031).
  static let synchronizedMode = 2026
  static let schemeMode = 2031

  static let all =
    "\u{1b}]11;?\u{1b}\\\u{1b}[?u\u{1b}[?\(synchronizedMode)$p\u{1b}[?\(schemeMode)$p\u{1b}[c"

  /// How long after the questions an answer may still come, over a slow connection.
  static let lateLimit = Duration.seconds(2)
  /// How long whoever leaves waits for it.
  static let patience = Duration.milliseconds(100)

  /// Reads and drops what comes until the last answer has come, or until the deadline.
  static func drop(from input: Int32, until deadline: ContinuousClock.Instant) {
    var decoder = KeyDecoder()
    read(from: input, until: deadline) { bytes in
      _ = decoder.feed(bytes, at: .now)
      return decoder.takeAnswers().contains(.attributes)
    }
  }

  /// Reads what a terminal sends until `isDone` says that it was the last, or until the deadline.
  static func read(
    from terminal: Int32, until deadline: ContinuousClock.Instant,
    isDone: (ArraySlice<UInt8>) -> Bool
  ) {
    while true {
      let left = (deadline - .now).inSeconds
      guard left > 0 else { return }
      var waiting = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, Int32((left * 1000).rounded(.up))) > 0 else { return }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = Glibc.read(terminal, &buffer, buffer.count)
      guard count > 0, !isDone(buffer[..<count]) else { return }
    }
  }
}
