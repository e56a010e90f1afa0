import NIOCore
import NIOPosix
import Synchronization

/// Runs all tasks of the process on the network's one thread instead of dispatch's.
///
/// On Linux the first worker thread of a global dispatch queue starts a watch over those threads
/// that wakes the process every second for ever; tasks outside the main actor are such work. A
/// client that waits for its next heartbeat should sleep through, and one thread is enough for it:
/// nothing of it computes for long, and nothing may block.
public enum QuietTasks {
  private static let installed = Atomic(false)

  /// Whether tasks run on the network's thread.
  static var isInstalled: Bool { installed.load(ordering: .acquiring) }

  /// To be called once, on the main thread, before the first task; without effect where the
  /// library does not offer it.
  @MainActor
  public static func install() {
    guard !isInstalled else { return }
    NIOSingletons.groupLoopCountSuggestion = 1
    installed.store(
      NIOSingletons.unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor(),
      ordering: .releasing)
  }
}
