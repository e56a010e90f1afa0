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

  /// Gathers what `draw` lets ncurses write, and sends it.
  func gather(_ draw: () -> Void) {
    guard ctg_lead(descriptor, memory) >= 0 else { return draw() }
    draw()
    _ = ctg_lead(descriptor, terminal)
    send(Int(max(0, lseek(memory, 0, SEEK_CUR))))
    _ = lseek(memory, 0, SEEK_SET)
  }

  private func send(_ length: Int) {
    guard length > 0 else { return }
    let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      count = max(0, pread(memory, buffer.baseAddress, length, 0))
    }
    writeAll(bytes, to: terminal)
  }

  func close() {
    Glibc.close(memory)
    Glibc.close(terminal)
  }
}

/// Writes everything, over interruptions; gives up where the terminal is gone.
func writeAll(_ bytes: some Collection<UInt8>, to descriptor: Int32) {
  var rest = ArraySlice(bytes)
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return }
    rest = rest.dropFirst(count)
  }
}
