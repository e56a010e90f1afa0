import Dispatch
import Foundation
import RallyStorage
import RallyWire
import Synchronization

/// Limits concurrent reads per user: a few run and a few wait, so that one user cannot occupy all
/// database readers.
package final class ReadGate: Sendable {
  private struct Line {
    var running = 0
    var waiting: [CheckedContinuation<Bool, Never>] = []
  }

  private let budgets: BudgetKeeper
  private let lines = Mutex<[String: Line]>([:])

  package init(budgets: BudgetKeeper) { self.budgets = budgets }

  /// Runs a read of a user with a session when the user has a free slot.
  ///
  /// - Throws: `RateRefusal` if too many reads of the user wait, errors of `requireActiveSession`,
  ///   and `StorageFailure.Kind.interrupted` for a read that takes too long.
  package func read<T: Sendable>(
    for caller: Caller, from storage: Storage, _ work: @escaping Storage.Work<T>
  ) async throws -> T {
    try await read(for: caller.userID, from: storage) {
      try caller.requireActiveSession(in: $0)
      return try work($0)
    }
  }

  /// Runs a read when the user has a free slot.
  ///
  /// - Throws: As above, without asking for a session.
  package func read<T: Sendable>(
    for person: String, from storage: Storage, _ work: @escaping Storage.Work<T>
  ) async throws -> T {
    try await inSlot(of: person) {
      do {
        return try await storage.read(within: .milliseconds(budgets[.readMilliseconds]), work)
      } catch let failure as StorageFailure where failure.kind == .interrupted {
        budgets.didRefuse(.readMilliseconds)
        throw failure
      }
    }
  }

  /// Runs `body` when the user has a free slot.
  ///
  /// - Throws: `RateRefusal` if too many of the user wait.
  func inSlot<T: Sendable>(of person: String, _ body: () async throws -> T) async throws -> T {
    guard await enter(person) else { throw RateRefusal(delay: 1) }
    defer { leave(person) }
    return try await body()
  }

  /// Waits for a slot; false if too many wait.
  private func enter(_ person: String) async -> Bool {
    await withCheckedContinuation { continuation in
      let answer: Bool? = lines.withLock { lines in
        var line = lines[person] ?? Line()
        defer { lines[person] = line }
        if line.running < budgets[.readsAtOnce] {
          line.running += 1
          return true
        }
        guard budgets.allows(.waitingReads, beside: line.waiting.count) else { return false }
        line.waiting.append(continuation)
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  /// Passes the slot to the user's next read.
  private func leave(_ person: String) {
    let next: CheckedContinuation<Bool, Never>? = lines.withLock { lines in
      guard var line = lines[person] else { return nil }
      if !line.waiting.isEmpty {
        let next = line.waiting.removeFirst()
        lines[person] = line
        return next
      }
      line.running -= 1
      lines[person] = line.running > 0 ? line : nil
      return nil
    }
    next?.resume(returning: true)
  }
}

/// What people send is parsed for one person at a time as their reads are, so that nobody waits for
/// somebody else's long body.
extension ReadGate {
  /// Bytes of a body that is parsed where it arrives, in less time than the database takes to say
  /// whose it is.
  package static let shortBody = 8 << 10

  /// Apart from the threads that answer everybody; one, so that the others have a processor left.
  private static let longBodies = DispatchQueue(label: "rally.long-bodies")

  /// Parses what somebody sent. A long body is parsed only once its sender was admitted.
  ///
  /// - Parameters:
  ///   - admit: Asks for session and budget; also for a short body that cannot be read.
  ///   - parse: Its time is bounded by the body's length, as `WireJSON.value` is.
  /// - Throws: What `admit` or `parse` throw, and `RateRefusal`.
  package func parse<T: Sendable>(
    _ body: Data, of caller: Caller, from storage: Storage, admit: @escaping Storage.Work<Void>,
    _ parse: @escaping @Sendable (Data) throws -> T
  ) async throws -> T {
    guard body.count > ReadGate.shortBody else {
      do {
        return try parse(body)
      } catch {
        try await read(for: caller.userID, from: storage, admit)
        throw error
      }
    }
    try await read(for: caller.userID, from: storage, admit)
    return try await self.parse(body, of: caller.userID, parse)
  }

  /// Parses what somebody sent who was admitted.
  ///
  /// - Throws: What `parse` throws, and `RateRefusal`.
  package func parse<T: Sendable>(
    _ body: Data, of person: String, _ parse: @escaping @Sendable (Data) throws -> T
  ) async throws -> T {
    guard body.count > ReadGate.shortBody else { return try parse(body) }
    return try await inSlot(of: person) {
      try await withCheckedThrowingContinuation { continuation in
        ReadGate.longBodies.async { continuation.resume(with: Result { try parse(body) }) }
      }
    }
  }
}
