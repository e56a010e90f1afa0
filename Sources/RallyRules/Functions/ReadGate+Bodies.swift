import Dispatch
import Foundation
import RallyStorage
import RallyWire

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
