import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

/// The reason for which a call was refused; nil if it was not, or failed otherwise.
func refusal(_ call: () async throws -> Void) async -> FailureReason? {
  do {
    try await call()
    return nil
  } catch NetworkError.refused(let failure, _) {
    return failure.reason
  } catch {
    return nil
  }
}
