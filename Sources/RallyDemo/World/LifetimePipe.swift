import FoundationEssentials
import Glibc
import RallyDomain
import RallySystem
import Synchronization

/// A pipe shared with a child process. Each end is closed at most once.
final class LifetimePipe: Sendable {
  private let ends: Mutex<(reading: Int32, writing: Int32)>

  /// - Throws: `POSIXError` of `pipe(2)`, usually `EMFILE`.
  init() throws(POSIXError) {
    var pair: [Int32] = [-1, -1]
    guard pipe(&pair) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EMFILE) }
    for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    ends = Mutex((pair[0], pair[1]))
  }

  deinit {
    closeReading()
    closeWriting()
  }

  var reading: Int32 { ends.withLock { $0.reading } }
  var writing: Int32 { ends.withLock { $0.writing } }

  func closeReading() { ends.withLock { Self.close(&$0.reading) } }
  func closeWriting() { ends.withLock { Self.close(&$0.writing) } }

  private static func close(_ descriptor: inout Int32) {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Reads the first line; nil at end of file, or when it does not arrive within `limit`.
  ///
  /// - Throws: `CancellationError`.
  func firstLine(within limit: Duration) async throws -> Data? {
    let (lines, line) = AsyncStream.makeStream(of: Data?.self)
    BackgroundThread.start("rally.demo") { [self] in
      var text = Data()
      var buffer = [UInt8](repeating: 0, count: 4096)
      let end = reading
      while end >= 0, !text.contains(UInt8(ascii: "\n")) {
        let count = read(end, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        text.append(contentsOf: buffer[0..<count])
      }
      line.yield(text.split(separator: UInt8(ascii: "\n")).first.map { Data($0) })
    }
    return try await withThrowingTaskGroup(of: Data?.self) { group in
      group.addTask {
        for await line in lines { return line }
        throw CancellationError()
      }
      group.addTask {
        try await DispatchSleep.for(limit)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }
}
