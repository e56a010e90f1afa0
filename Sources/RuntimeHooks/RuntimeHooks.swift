import CRuntimeHooks
@_spi(Reflection) import Swift

/// The job of a task that is ready to run, as the runtime hands it over.
public struct ReadyJob: Sendable {
  public let job: UnownedJob

  fileprivate init(_ pointer: UnsafeMutableRawPointer) {
    job = unsafeBitCast(pointer, to: UnownedJob.self)
  }
}

/// Where tasks run that no executor asks for.
public enum GlobalExecutor {
  /// Set once, before the hook is.
  nonisolated(unsafe) private static var enqueue: (@Sendable (ReadyJob) -> Void)?

  /// Gives all jobs of the global executor to `enqueue`, which is called on any thread.
  ///
  /// Call once, before the first task starts.
  ///
  /// - Returns: False if another hook is there, and jobs go on as before.
  @MainActor
  public static func install(_ enqueue: @escaping @Sendable (ReadyJob) -> Void) -> Bool {
    self.enqueue = enqueue
    return rally_hook_tasks(receive)
  }

  /// Outside of `install`, whose actor it would have: the runtime calls it on any thread.
  private static let receive: rally_enqueue = { job in
    if let job { enqueue?(ReadyJob(job)) }
  }
}

/// What runs the main thread in place of `dispatch_main`, and Dispatch's main queue as a descriptor.
@MainActor public enum MainThread {
  private static var loop: (@MainActor () -> Never)?

  /// Gives the main thread to `loop` when the program's asynchronous `main` first suspends; call
  /// before.
  ///
  /// - Returns: False if another hook is there, and Dispatch goes on to serve the main queue.
  public static func serve(by loop: @escaping @MainActor () -> Never) -> Bool {
    self.loop = loop
    return rally_hook_main_thread {
      MainActor.assumeIsolated { _ = MainThread.loop?() }
    }
  }

  /// Readable while the main queue has work.
  public static var queueDescriptor: Int32 { rally_main_queue_descriptor() }

  /// Runs what waits in the main queue.
  public static func runQueue() { rally_main_queue_run() }
}

/// The places of stored properties in a value.
public enum StoredProperties {
  /// The offsets in bytes of the properties whose type is wanted, in their order.
  ///
  /// - Parameter isWanted: Whether a property of this type is listed.
  public static func offsets<Value>(
    in type: Value.Type, where isWanted: (Any.Type) -> Bool
  ) -> [Int] {
    var offsets: [Int] = []
    _forEachField(of: type) { _, offset, field, _ in
      if isWanted(field) { offsets.append(offset) }
      return true
    }
    return offsets
  }
}
