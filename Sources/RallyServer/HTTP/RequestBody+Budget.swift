import Hummingbird
import NIOCore

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
