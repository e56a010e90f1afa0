import CTerminalGuard
import Glibc

/// Sends each frame to the terminal in a single write.
///
/// ncurses writes after every cursor movement: moving a selection takes six writes, each of which
/// wakes the terminal or is a packet of its own over SSH, and shows a partial frame. While a frame
/// is drawn, ncurses' file descriptor is redirected to a memory file, which is then written at
/// once.
@MainActor final class BufferedFrameWriter {
  /// The descriptor that ncurses writes to.
  private let descriptor: Int32
  /// A duplicate that always refers to the terminal.
  private let terminal: Int32
  private let memory: Int32
  /// Whether the terminal shows a frame only once it has ended (mode 2026).
  var isSynchronized = false

  /// - Returns: nil if the system has no memory files (memfd); frames are then not buffered.
  init?(descriptor: Int32) {
    let memory = rally_guard_memory_file()
    let terminal = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard memory >= 0, terminal >= 0 else {
      if memory >= 0 { Glibc.close(memory) }
      if terminal >= 0 { Glibc.close(terminal) }
      return nil
    }
    self.descriptor = descriptor
    self.terminal = terminal
    self.memory = memory
  }

  /// Collects ncurses' output during `draw` and sends it, followed by the text that `draw` returns.
  ///
  /// - Parameters:
  ///   - first: What is sent before it.
  ///   - numbers: What the numbers of its colours stand for, once it is drawn.
  /// - Returns: False if the terminal is gone.
  func gather(
    after first: String, numbers: @autoclosure () -> ColorNumbers?, _ draw: () -> String
  ) -> Bool {
    guard rally_guard_lead(descriptor, memory) >= 0 else {
      guard writeAll(Array(first.utf8), to: terminal) else { return false }
      return writeAll(Array(draw().utf8), to: terminal)
    }
    let rest = draw()
    _ = rally_guard_lead(descriptor, terminal)
    let length = Int(max(0, lseek(memory, 0, SEEK_CUR)))
    _ = lseek(memory, 0, SEEK_SET)
    let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      count = length == 0 ? 0 : max(0, pread(memory, buffer.baseAddress, length, 0))
    }
    let frame =
      Array(first.utf8)
      + RepeatedAttributes.removed(from: bytes, numbers: numbers()) + Array(rest.utf8)
    guard isSynchronized, !frame.isEmpty else { return writeAll(frame, to: terminal) }
    return writeAll(Self.frameBegin + frame + Self.frameEnd, to: terminal)
  }

  private static let frameBegin = Array("\u{1b}[?2026h".utf8)
  private static let frameEnd = Array("\u{1b}[?2026l".utf8)

  func close() {
    Glibc.close(memory)
    Glibc.close(terminal)
  }
}

/// Writes all bytes, retrying after EINTR and EAGAIN.
///
/// - Returns: False if the terminal is gone.
@discardableResult
func writeAll(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
  rally_guard_enter()
  defer { rally_guard_leave() }
  var rest = ArraySlice(bytes)
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    if count < 0, errno == EAGAIN {
      // Another process has made the terminal non-blocking; wait until it is writable.
      var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if poll(&ready, 1, -1) >= 0 || errno == EINTR, ready.revents & Int16(POLLERR | POLLNVAL) == 0
      {
        continue
      }
      return false
    }
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}
