import CTimerFD
import NIOCore
import NIOPosix
import RuntimeHooks
import Synchronization

/// Runs all Swift tasks of the process on NIO's single event loop thread instead of dispatch's
/// threads.
///
/// On Linux, the first worker thread of a global dispatch queue starts a monitor that wakes the
/// process every second from then on. Tasks outside the main actor are such work. A client that
/// waits for its next heartbeat should not wake up. One thread is enough, as long as no task
/// computes for long or blocks.
public enum EventLoopExecutor {
  private static let installed = Atomic(false)

  /// Whether tasks run on the event loop thread.
  package static var isInstalled: Bool { installed.load(ordering: .acquiring) }

  /// Call once, on the main thread, before the first task starts. No effect if another global
  /// executor hook is installed already.
  ///
  /// NIO's own function (`unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor`)
  /// looks up the hook with `dlsym`, which fails if the Swift runtime is linked statically.
  @MainActor
  public static func install() {
    guard !isInstalled else { return }
    NIOSingletons.groupLoopCountSuggestion = 1
    let isInstalled = GlobalExecutor.install { ready in
      MultiThreadedEventLoopGroup.singleton.any().executor.enqueue(ExecutorJob(ready.job))
    }
    installed.store(isInstalled, ordering: .releasing)
  }
}

/// Calls functions on an event loop at their times, by a timer of the kernel of its own.
///
/// NIO leaves its timer armed when a scheduled task is cancelled, so the loop wakes up for nothing:
/// at each heartbeat, for the reply that is not late. This one is armed for the earliest entry, and
/// disarmed when none is left.
final class EventLoopTimer: Sendable {
  /// The number of a function that waits.
  typealias Entry = Int

  private struct State {
    var entries: [Entry: (due: SuspendingClock.Instant, call: @Sendable () -> Void)] = [:]
    var last: Entry = 0
    /// What the kernel's timer is armed for.
    var armed: SuspendingClock.Instant?
  }

  /// On NIO's shared event loop; nil where the system has no such timer.
  static let shared = EventLoopTimer(on: MultiThreadedEventLoopGroup.singleton.any())
  /// One that is further away is set anew when that much has passed.
  private static let furthest = Duration.seconds(86_400)

  /// Closed together with the event loop.
  let descriptor: CInt
  private let state = Mutex(State())

  init?(on loop: any EventLoop) {
    descriptor = rally_timer_make_running()
    guard descriptor >= 0 else { return nil }
    NIOPipeBootstrap(group: loop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ExpiryHandler(timer: self))
        }
      }
      .takingOwnershipOfDescriptor(input: descriptor)
      .whenFailure { preconditionFailure("The event loop takes no timer: \($0)") }
  }

  /// - Returns: What takes it away again.
  func add(at due: SuspendingClock.Instant, _ call: @escaping @Sendable () -> Void) -> Entry {
    state.withLock { state in
      state.last += 1
      state.entries[state.last] = (due, call)
      arm(&state)
      return state.last
    }
  }

  /// No effect on one whose function was called.
  func remove(_ entry: Entry) {
    state.withLock { state in
      if state.entries.removeValue(forKey: entry) != nil { arm(&state) }
    }
  }

  private func arm(_ state: inout State) {
    let earliest = state.entries.values.lazy.map(\.due).min()
    guard earliest != state.armed else { return }
    state.armed = earliest
    let nanoseconds = earliest.map { max(1, min($0 - .now, Self.furthest).wholeNanoseconds) }
    _ = rally_timer_set(descriptor, Int64(nanoseconds ?? 0))
  }

  fileprivate func expired() {
    let due = state.withLock { state in
      let now = SuspendingClock.now
      let due = state.entries.filter { $0.value.due <= now }
      for entry in due.keys { state.entries[entry] = nil }
      state.armed = nil
      arm(&state)
      return due.values
    }
    for entry in due.sorted(by: { $0.due < $1.due }) { entry.call() }
  }
}

/// Reads how often the timer has expired; what it says does not matter.
private final class ExpiryHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let timer: EventLoopTimer

  init(timer: EventLoopTimer) { self.timer = timer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { timer.expired() }
}
