import CTaskHook
import NIOCore
import NIOPosix
import Synchronization

/// Runs all Swift tasks of the process on NIO's single event loop thread instead of dispatch's
/// threads.
///
/// On Linux, the first worker thread of a global dispatch queue starts a monitor that wakes the
/// process every second from then on, and tasks outside the main actor are such work. A client that
/// waits for its next heartbeat should not wake up. One thread is enough, as long as no task
/// computes for long or blocks.
public enum EventLoopExecutor {
  private static let installed = Atomic(false)

  /// Whether tasks run on the event loop thread.
  package static var isInstalled: Bool { installed.load(ordering: .acquiring) }

  /// Called on any thread that makes a job ready to run.
  private static let enqueue: cth_enqueue = { job in
    guard let job else { return }
    MultiThreadedEventLoopGroup.singleton.any().executor
      .enqueue(ExecutorJob(unsafeBitCast(job, to: UnownedJob.self)))
  }

  /// Call once, on the main thread, before the first task starts. No effect if another global
  /// executor hook is installed already.
  ///
  /// NIO's own function (`unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor`)
  /// looks up the hook with `dlsym`, which fails if the Swift runtime is linked statically.
  @MainActor
  public static func install() {
    guard !isInstalled else { return }
    NIOSingletons.groupLoopCountSuggestion = 1
    installed.store(cth_install(enqueue), ordering: .releasing)
  }
}
