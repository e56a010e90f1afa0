import CTaskHook
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

  /// Called on whatever thread makes a job ready.
  private static let enqueue: cth_enqueue = { job in
    guard let job else { return }
    MultiThreadedEventLoopGroup.singleton.any().executor
      .enqueue(ExecutorJob(unsafeBitCast(job, to: UnownedJob.self)))
  }

  /// To be called once, on the main thread, before the first task; without effect where somebody
  /// else runs the tasks.
  ///
  /// NIO's own way (`unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor`) looks the hook
  /// up among the exported symbols, where it is not when the runtime is linked into the program.
  @MainActor
  public static func install() {
    guard !isInstalled else { return }
    NIOSingletons.groupLoopCountSuggestion = 1
    installed.store(cth_install(enqueue), ordering: .releasing)
  }
}
