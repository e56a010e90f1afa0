import Hummingbird
import NIOCore
import RallyRules

extension RequestBody {
  /// Bytes of a body whose sender nobody knows yet.
  static let strangersLimit = 8 << 10

  /// The whole body.
  ///
  /// - Parameter limit: Bytes, where that is less than `body-bytes`.
  /// - Throws: `NIOTooManyBytesError` for a larger one.
  func collect(within budgets: BudgetKeeper, atMost limit: Int = .max) async throws -> ByteBuffer {
    do {
      return try await collect(upTo: Swift.min(limit, budgets[.bodyBytes]))
    } catch let error as NIOTooManyBytesError {
      budgets.didRefuse(.bodyBytes)
      throw error
    }
  }

  /// Reads the body to its end and keeps nothing of it: some clients fail if the answer comes while
  /// they still send. The connection's own limit bounds it.
  func discard() async throws { for try await _ in self {} }
}

extension Request {
  /// Asks who sent a request before its body is read. The body of a refused one is read to its end,
  /// and nothing of it is kept.
  ///
  /// - Throws: What `ask` throws.
  func admitted<Sender>(_ ask: () async throws -> Sender) async throws -> Sender {
    do {
      return try await ask()
    } catch {
      try await body.discard()
      throw error
    }
  }
}
