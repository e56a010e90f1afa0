import Dispatch
import FoundationEssentials
import Logging
import RallySystem
import RallyWire

/// Writes the synchronization trace to a file that another process, `rally doctor`, can read.
public final class SyncTraceService: Sendable {
  private let folder: String
  private let path: String
  private let queue = DispatchQueue(label: "rally.trace", qos: .utility)
  private let log = RallyLog.logger("Sync")

  public init(folders: RallyFolders) {
    folder = folders.profileState
    path = "\(folders.profileState)/sync-trace.json"
  }

  /// The trace of the running or the last program, the newest entry last; empty if there is none.
  ///
  /// - Throws: `FileError` if it cannot be read, or is damaged.
  public func entries() async throws(FileError) -> [SyncTraceEntry] {
    let content = await afterWrites { () -> Result<Data?, FileError> in
      Result { () throws(FileError) in try PrivateFiles.read(self.path) }
    }
    guard let data = try content.get() else { return [] }
    do {
      return try WireJSON.decode([SyncTraceEntry].self, from: data)
    } catch {
      throw FileError(path, error)
    }
  }

  /// Writes the trace in the background.
  func record(_ trace: [SyncTraceEntry]) {
    queue.async { [self] in
      do {
        try PrivateFiles.makeFolder(folder)
        try PrivateFiles.write(WireJSON.encode(trace), to: path)
      } catch {
        log.error("record trace — failed: \(error.logLabel)")
      }
    }
  }

  /// Waits until everything recorded so far is in the file.
  public func flush() async { await afterWrites {} }

  private func afterWrites<T: Sendable>(_ work: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: work()) }
    }
  }
}
