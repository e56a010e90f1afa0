import CTerminalGuard
import Glibc

/// Sends a frame to the terminal in one piece.
///
/// ncurses writes after every movement of the cursor: a moved selection is six writes, each of which
/// wakes the terminal, or is a packet of its own over SSH, and shows half a frame. While a frame is drawn, what
/// ncurses writes to goes into memory; then all of it is written at once.
@MainActor final class FrameOutput {
  /// What ncurses writes to.
  private let descriptor: Int32
  /// A copy that always leads to the terminal.
  private let terminal: Int32
  private let memory: Int32

  /// - Returns: nil where the system has no files in memory; frames then go out as they come.
  init?(descriptor: Int32) {
    let memory = ctg_memory_file()
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

  /// Gathers what `draw` lets ncurses write, and sends it with what `draw` gives to be sent after it.
  ///
  /// - Returns: False when the terminal is gone.
  func gather(_ draw: () -> String) -> Bool {
    guard ctg_lead(descriptor, memory) >= 0 else {
      return writeAll(Array(draw().utf8), to: terminal)
    }
    let rest = draw()
    _ = ctg_lead(descriptor, terminal)
    let length = Int(max(0, lseek(memory, 0, SEEK_CUR)))
    _ = lseek(memory, 0, SEEK_SET)
    let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      count = length == 0 ? 0 : max(0, pread(memory, buffer.baseAddress, length, 0))
    }
    return writeAll(bytes + Array(rest.utf8), to: terminal)
  }

  func close() {
    Glibc.close(memory)
    Glibc.close(terminal)
  }
}

/// Writes everything, over interruptions; gives up where the terminal is gone.
///
/// - Returns: False when it is gone.
@discardableResult
func writeAll(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
  var rest = ArraySlice(bytes)
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    if count < 0, errno == EAGAIN {
      // Somebody else who has this terminal made it so; it takes more in a moment.
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
