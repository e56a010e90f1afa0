import FoundationEssentials
import Glibc
import RallyClient
import RallyDomain
import RallySystem
import RallyWire
import Synchronization

/// A running demo from the client's side: a child process with a server and the simulated users,
/// and a temporary directory, both removed at the end.
///
/// This program holds the write end of the child's standard input. The kernel closes it however
/// this program ends, and the child exits at end of file.
public final class DemoWorld: Sendable {
  public let announcement: DemoAnnouncement
  public let folder: DemoFolder
  private let process: ServerProcess
  private let leash: LifetimePipe

  /// Timeout for the child's announcement.
  private static let patience = Duration.seconds(20)
  /// Grace period before the child is killed.
  private static let farewell = Duration.seconds(3)

  private init(
    announcement: DemoAnnouncement, folder: DemoFolder, process: ServerProcess, leash: LifetimePipe
  ) {
    self.announcement = announcement
    self.folder = folder
    self.process = process
    self.leash = leash
  }

  /// Starts the demo process and waits for its announcement, at most 20 s.
  ///
  /// - Parameters:
  ///   - executable: The program that provides the `demo-world` command.
  ///   - runtime: `RallyFolders.runtime`.
  /// - Throws: `DemoWorldError` when the process cannot start or does not answer, or
  ///   `CancellationError`; process and directory are cleaned up first.
  @concurrent public static func start(
    _ executable: String, runtime: String
  ) async throws -> DemoWorld {
    let folder: DemoFolder
    let leash: LifetimePipe
    let news: LifetimePipe
    let process: ServerProcess
    do {
      folder = try DemoFolder(below: runtime)
      try DemoStreets.write(into: try RallyFolders(data: folder.path).streets)
      (leash, news) = (try LifetimePipe(), try LifetimePipe())
      process = try ServerProcess.start(
        executable, arguments: ["demo-world", "--folder", folder.path],
        log: Self.log(in: folder), input: leash.reading, output: news.writing)
    } catch {
      throw DemoWorldError.notStarted(error.systemReason)
    }
    leash.closeReading()
    news.closeWriting()
    do {
      guard let line = try await news.firstLine(within: patience),
        let announcement = try? WireJSON.decode(DemoAnnouncement.self, from: line)
      else {
        throw DemoWorldError.noAnswer(log: ServerProcess.lastWords(inLog: Self.log(in: folder)))
      }
      return DemoWorld(announcement: announcement, folder: folder, process: process, leash: leash)
    } catch {
      leash.closeWriting()
      await process.end(within: farewell)
      folder.remove()
      throw error
    }
  }

  private static func log(in folder: DemoFolder) -> String { "\(folder.path)/world.log" }

  /// Stops the child, after 3 s by force, and removes the directory. Returns when both are gone.
  @concurrent public func end() async {
    leash.closeWriting()
    await process.end(within: Self.farewell)
    folder.remove()
  }
}

/// Why the demo did not start.
public enum DemoWorldError: ReportableError, Hashable, Sendable {
  case notStarted(String)
  /// The process exited or timed out before its announcement; `log` is the end of its log.
  case noAnswer(log: String)

  public var sentence: String {
    switch self {
    case .notStarted(let reason): "The demo did not start (\(reason))."
    case .noAnswer(let log):
      log.isEmpty ? "The demo did not start in time." : "The demo did not start: \(log)"
    }
  }
}

/// One line of JSON that the demo process prints once it is ready for the visitor.
public struct DemoAnnouncement: Hashable, Sendable, Codable {
  public var url: String
  /// The anonymous API key of the demo's server.
  public var key: String
  public var visitor: DemoVisitor

  public init(url: String, key: String, visitor: DemoVisitor) {
    self.url = url
    self.key = key
    self.visitor = visitor
  }
}

/// A pipe shared with a child process. Each end is closed at most once.
private final class LifetimePipe: Sendable {
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
