import Foundation
import Logging
import RallyWire

/// Keeps the synchronisation's trace where another process, `rally doctor`, can read it.
public final class SyncTraceService: Sendable {
  private let folder: String
  private let path: String
  private let queue = DispatchQueue(label: "rally.trace", qos: .utility)
  private let log = RallyLog.logger("Sync")

  public init(folders: RallyFolders) {
    folder = folders.profileState
    path = "\(folders.profileState)/sync-trace.json"
  }

  /// What the running program, or the last one, decided; the newest entry last.
  public func entries() async -> [SyncTraceEntry] {
    let content = await afterWrites { (try? PrivateFiles.read(self.path)) ?? nil }
    return content.flatMap { try? WireJSON.decode([SyncTraceEntry].self, from: $0) } ?? []
  }

  /// Writes the trace down soon; nobody waits for the disk.
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
