import Foundation
import RallyDomain
import RallyWire

/// A demo as the visitor's program sees it: a process with a server and the cast in it, and a
/// folder, both gone at the end.
///
/// The process hears of the end through a pipe that this program holds open: the kernel closes it
/// however the program ends.
public final class DemoWorld: Sendable {
  public let announcement: DemoAnnouncement
  public let folder: DemoFolder
  private let process: ServerProcess
  private let leash: Leash

  /// How long the process may take until the visitor may come.
  private static let patience = Duration.seconds(20)
  /// How long it may take to end before it is made to.
  private static let farewell = Duration.seconds(3)

  private init(
    announcement: DemoAnnouncement, folder: DemoFolder, process: ServerProcess, leash: Leash
  ) {
    self.announcement = announcement
    self.folder = folder
    self.process = process
    self.leash = leash
  }

  /// Starts a demo and waits until the visitor may come.
  ///
  /// - Parameters:
  ///   - executable: The program that understands `demo-world`.
  ///   - runtime: `RallyFolders.runtime`.
  /// - Throws: `DemoWorldError`, or `CancellationError`; nothing is left behind then.
  public static func start(_ executable: String, runtime: String) async throws -> DemoWorld {
    let folder: DemoFolder
    let leash: Leash
    let news: Leash
    let process: ServerProcess
    do {
      folder = try DemoFolder(below: runtime)
      (leash, news) = (try Leash(), try Leash())
      process = try ServerProcess.start(
        executable, arguments: ["demo-world", "--folder", folder.path],
        log: "\(folder.path)/world.log", input: leash.reading, output: news.writing)
    } catch {
      throw DemoWorldError.notStarted(String(cString: strerror(error.code.rawValue)).lowercased())
    }
    leash.closeReading()
    news.closeWriting()
    do {
      guard let line = try await news.firstLine(within: patience),
        let announcement = try? WireJSON.decode(DemoAnnouncement.self, from: line)
      else { throw DemoWorldError.noAnswer(log: Self.lastWords(folder)) }
      return DemoWorld(
        announcement: announcement, folder: folder, process: process, leash: leash)
    } catch {
      leash.closeWriting()
      await process.end(within: farewell)
      folder.remove()
      throw error
    }
  }

  /// Ends the process and removes the folder; returns when both are gone.
  public func end() async {
    leash.closeWriting()
    await process.end(within: Self.farewell)
    folder.remove()
  }

  private static func lastWords(_ folder: DemoFolder) -> String {
    let text = FileManager.default.contents(atPath: "\(folder.path)/world.log") ?? Data()
    return String(decoding: text.suffix(300), as: UTF8.self).cleanedForDisplay
  }
}

/// Why there is no demo.
public enum DemoWorldError: Error, Hashable, Sendable {
  case notStarted(String)
  /// It ended, or said nothing in time; with the end of its log.
  case noAnswer(log: String)

  public var sentence: String {
    switch self {
    case .notStarted(let reason): "The demo did not start (\(reason))."
    case .noAnswer(let log):
      log.isEmpty ? "The demo did not start in time." : "The demo did not start: \(log)"
    }
  }
}
