import FoundationEssentials
import Glibc
import RallyClient
import RallyDomain
import RallySystem
import RallyWords
import TerminalKit
import TerminalNcurses

/// Notices that standard output has no reader any more, also while nothing is written.
enum ReaderWatch {
  /// Calls `handler` once when the pipe's other end or the terminal is closed.
  ///
  /// A thread waits for it in the kernel and costs no wake-up. It ends with the process: nothing
  /// else would wake it, and the verb ends when it fires.
  static func start(_ handler: @escaping @Sendable () -> Void) {
    BackgroundThread.start("rally.reader", stackSize: 64 << 10) {
      // No events are requested: POLLHUP and POLLERR are always reported.
      var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      var count: Int32
      repeat { count = poll(&descriptor, 1, -1) } while count < 0 && errno == EINTR
      handler()
    }
  }
}

/// A QR code for standard output if that is a terminal that can show it.
struct TerminalQRCode {
  /// None where no code can be drawn.
  private(set) var lines: [String] = []
  /// Why there is none, or what it needs to be seen whole; nil where nothing is to be said.
  private(set) var hint: String?

  /// - Parameter isPlain: For a screen reader, to which a picture says nothing.
  init(
    _ text: String, isPlain: Bool,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    guard !isPlain, let terminal = Size(ofTerminal: STDOUT_FILENO),
      environment["TERM", default: "dumb"] != "dumb"
    else { return }
    guard PrintedMarks(isPlain: false, environment: environment) == .all else {
      hint = "The locale is not UTF-8, so there is no QR code."
      return
    }
    do throws(QRCode.Problem) {
      let code = try QRCode(text)
      guard code.size.width <= terminal.width else {
        hint =
          "A QR code needs \(code.size.width) columns and \(code.size.height) rows; "
          + "this terminal has \(terminal.width)x\(terminal.height)."
        return
      }
      lines = code.printedLines
      if code.size.height > terminal.height {
        hint = "To scan it, make the terminal \(code.size.height) rows high, or its text smaller."
      }
    } catch {
      switch error {
      case .noLibrary:
        hint = "libqrencode.so.4 is not installed (Debian: libqrencode4), so there is no QR code."
      case .tooLong: hint = "The link is too long for a QR code."
      }
    }
  }
}
