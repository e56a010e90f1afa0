import FoundationEssentials
import Logging
import RallyClient
import RallyEnvironment
import RallySystem
import RallyWire

/// The zones and hours that are kept with my account. No place is ever logged.
public final class PrivacyService: Sendable {
  public static let shared = PrivacyService(client: .shared)

  private let client: ServiceClient
  private let log = RallyLog.logger("Privacy")

  public init(client: SupabaseClient) { self.client = client.logging(by: log) }

  /// - Returns: nil if the account keeps none, or the server is too old to keep any.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchRules() async throws -> PrivacyRules? {
    log.info("fetchRules")
    do {
      return try await client.call(FetchPrivacyRules()).rules
    } catch NetworkError.refused(let failure, _) where failure.isUnknownFunction {
      return nil
    }
  }

  /// - Parameter rules: nil keeps none with the account any more.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func setRules(_ rules: PrivacyRules?, clientID: UUID = UUID()) async throws {
    log.info("setRules — kept: \(rules != nil)")
    _ = try await client.call(SetPrivacyRules(rules: rules), clientID: clientID)
  }
}
