import Glibc
import Observation
import RallySystem
import RallyWire

/// The lock of the interface that acts for a profile: keeps its status, runs its hooks and opens
/// links. `flock` on `client.lock` in the profile's folder, which the kernel releases however the
/// process ends.
public struct ClientLock: Sendable {
  private let folder: String
  private var path: String { "\(folder)/client.lock" }
  private static let flags = O_RDWR | O_CREAT

  public init(folders: RallyFolders) { folder = folders.profileState }

  /// Waits in a thread, without any wake-up, until no other process holds the lock.
  ///
  /// - Returns: Whether this process holds it now, until it ends; false if the file cannot be used.
  public func take() async -> Bool {
    await withCheckedContinuation { continuation in
      BackgroundThread.start("rally.client") {
        continuation.resume(returning: lock(LOCK_EX) != nil)
      }
    }
  }

  /// Waits in a thread, without any wake-up, until no process holds the lock.
  public func waitUntilFree() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      BackgroundThread.start("rally.client") {
        if let descriptor = lock(LOCK_SH) { FileLock.release(descriptor) }
        continuation.resume()
      }
    }
  }

  /// Whether a process holds the lock now.
  public var isHeld: Bool {
    (try? PrivateFiles.makeFolder(folder)) != nil && FileLock.isHeld(path, flags: Self.flags)
  }

  /// - Returns: The locked file; nil if it cannot be used.
  private func lock(_ how: Int32) -> Int32? {
    guard (try? PrivateFiles.makeFolder(folder)) != nil else { return nil }
    return try? FileLock.take(path, how, flags: Self.flags)
  }
}

/// Whether this is the client that acts for its profile, of the interfaces that are open.
///
/// The first to be opened is; when it ends, one of the others. It keeps the status for other
/// programs, runs the hooks and opens links.
@MainActor
@Observable
public final class ActingClient {
  public private(set) var isActing = false
  @ObservationIgnored private let lock: ClientLock

  public init(folders: RallyFolders) { lock = ClientLock(folders: folders) }

  /// Waits until it is this client's turn.
  public func waitForTurn() async {
    guard !isActing, await lock.take() else { return }
    isActing = true
  }
}
