import Hummingbird
import NIOCore

extension RequestBody {
  /// The whole body.
  ///
  /// - Throws: `NIOTooManyBytesError` for one that is larger than `body-bytes`.
  func collect(within budgets: BudgetKeeper) async throws -> ByteBuffer {
    do {
      return try await collect(upTo: budgets[.bodyBytes])
    } catch let error as NIOTooManyBytesError {
      budgets.didRefuse(.bodyBytes)
      throw error
    }
  }
}
