import Foundation
import RallyStorage
import Synchronization

/// Records the statements of an engine, and delays or rolls back its work, for a test.
package final class StatementMonitor: Sendable {
  private struct State {
    var statements: [String] = []
    var numbers: SeededGenerator?
    var undoesWrites = false
    var refusesWrites = false
  }

  private let state: Mutex<State>

  /// - Parameter pauses: Seeds pauses of up to half a millisecond in front of statements, so that
  ///   transactions overlap.
  package init(pauses: UInt64? = nil) {
    state = Mutex(State(numbers: pauses.map(SeededGenerator.init)))
  }

  /// Whether writes are answered and then rolled back.
  package var undoesWrites: Bool {
    get { state.withLock { $0.undoesWrites } }
    set { state.withLock { $0.undoesWrites = newValue } }
  }

  /// Whether there is no room for writes.
  package var refusesWrites: Bool {
    get { state.withLock { $0.refusesWrites } }
    set { state.withLock { $0.refusesWrites = newValue } }
  }

  /// The statements since the last time, in their order.
  package func takeStatements() -> [String] {
    state.withLock { state in
      defer { state.statements = [] }
      return state.statements
    }
  }

  fileprivate func willRun(_ sql: String) {
    let pause = state.withLock { state -> UInt32 in
      state.statements.append(sql)
      return state.numbers?.next(upperBound: UInt32(500)) ?? 0
    }
    if pause > 100 { usleep(pause) }
  }
}

/// An engine that a test looks over the shoulder of.
package struct ObservedEngine: StorageEngine {
  package let base: any StorageEngine
  package let monitor: StatementMonitor

  package init(base: any StorageEngine, monitor: StatementMonitor) {
    self.base = base
    self.monitor = monitor
  }

  private struct Undone<T: Sendable>: Error {
    let value: T
  }

  package var waitingWrites: Int { base.waitingWrites }

  package func onCommit(_ body: @escaping @Sendable () -> Void) { base.onCommit(body) }

  package func onChange(_ body: @escaping @Sendable () -> Void) { base.onChange(body) }

  package func read<T: Sendable>(
    within limit: Duration?, _ work: @escaping Storage.Work<T>
  ) async throws -> T {
    try await base.read(within: limit) { try work(observed($0)) }
  }

  package func write<T: Sendable>(_ work: @escaping Storage.Work<T>) async throws -> T {
    guard !monitor.refusesWrites else { throw StorageFailure(kind: .full, message: "no room") }
    guard monitor.undoesWrites else {
      return try await base.write { try work(observed($0)) }
    }
    do {
      return try await base.write { throw Undone(value: try work(observed($0))) }
    } catch let undone as Undone<T> {
      return undone.value
    }
  }

  package func count<T: Sendable>(_ work: @escaping Storage.Work<T>) async throws -> T {
    try await base.count { try work(observed($0)) }
  }

  package func close() throws { try base.close() }

  private func observed(_ database: Database) -> Database {
    Database(
      database.engine, on: ObservedConnection(base: database.connection, monitor: monitor))
  }
}

private struct ObservedConnection: StorageConnection {
  let base: any StorageConnection
  let monitor: StatementMonitor

  func executeScript(_ sql: String) throws {
    monitor.willRun(sql)
    try base.executeScript(sql)
  }

  func execute(_ sql: String, _ arguments: StatementArguments) throws {
    monitor.willRun(sql)
    try base.execute(sql, arguments)
  }

  func rows(_ sql: String, _ arguments: StatementArguments, limit: Int?) throws -> [Row] {
    monitor.willRun(sql)
    return try base.rows(sql, arguments, limit: limit)
  }
}
