import Foundation
import Synchronization

/// Threads with a connection each, which take jobs in order.
///
/// Connections are opened on demand, and reopened after they were lost.
final class PostgresPool: Sendable {
  typealias Job = @Sendable (PostgresConnection) -> Void

  private struct State {
    var jobs: [Job] = []
    /// How many of the first jobs were taken.
    var taken = 0
    var isEnding = false
    /// Threads that are connected.
    var connected = 0

    var waiting: Int { jobs.count - taken }

    mutating func take() -> Job? {
      guard taken < jobs.count else { return nil }
      let job = jobs[taken]
      taken += 1
      if taken == jobs.count || taken > 256 {
        jobs.removeFirst(taken)
        taken = 0
      }
      return job
    }
  }

  /// The state shared with the threads, which do not retain the pool.
  private final class Queue: Sendable {
    let state = Mutex(State())
    let work = DispatchSemaphore(value: 0)
    let threads = DispatchGroup()
  }

  private let queue = Queue()
  private let count: Int

  init(
    _ address: PostgresAddress, connections count: Int,
    silence: Duration = PostgresConnection.silence
  ) {
    self.count = count
    for number in 1...count {
      let queue = queue
      queue.threads.enter()
      let thread = Thread {
        PostgresPool.work(on: queue, through: PostgresConnection(address, silence: silence))
        queue.threads.leave()
      }
      thread.name = "postgres \(number)"
      thread.start()
    }
  }

  deinit { end() }

  package var waiting: Int { queue.state.withLock { $0.waiting } }

  /// - Returns: False when the pool has ended.
  func submit(_ job: @escaping Job) -> Bool {
    let isTaken = queue.state.withLock { state in
      guard !state.isEnding else { return false }
      state.jobs.append(job)
      return true
    }
    if isTaken { queue.work.signal() }
    return isTaken
  }

  /// Ends the threads after the submitted jobs.
  func end() {
    let isFirst = queue.state.withLock { state in
      defer { state.isEnding = true }
      return !state.isEnding
    }
    if isFirst { for _ in 0..<count { queue.work.signal() } }
  }

  /// Waits until all jobs are done and all connections are closed.
  func close() {
    end()
    queue.threads.wait()
  }

  private static func work(on queue: Queue, through connection: PostgresConnection) {
    var isConnected = false
    while true {
      queue.work.wait()
      if !connection.isOpen, isLeftToOthers(connection, queue) { continue }
      // There is a signal for each job and finally one for each thread.
      guard let job = queue.state.withLock({ $0.take() }) else { break }
      job(connection)
      if isConnected != connection.isOpen {
        isConnected.toggle()
        queue.state.withLock { $0.connected += isConnected ? 1 : -1 }
      }
    }
    connection.close()
  }

  /// Where the database takes no more connections, those that there are do the work: a thread
  /// without one gives its turn back and waits.
  private static func isLeftToOthers(_ connection: PostgresConnection, _ queue: Queue) -> Bool {
    guard queue.state.withLock({ $0.connected > 0 && !$0.isEnding }) else { return false }
    do {
      try connection.open()
    } catch {
      guard connection.failureCode == PostgresCode.tooManyConnections else { return false }
      queue.work.signal()
      usleep(200_000)
      return true
    }
    return false
  }
}
