import FoundationEssentials
import Logging
import RallySystem
import RallyText
import RallyWire

/// The client of one service: writes what became of each call beside the call, with the service's
/// label.
public struct ServiceClient: Sendable {
  public let client: SupabaseClient
  let log: Logger

  /// Calls a function; see `SupabaseClient.call`.
  public func call<F: RemoteFunction>(
    _ function: F, clientID: UUID? = nil
  ) async throws -> F.Output {
    do {
      let output = try await client.call(function, clientID: clientID)
      log.info("\(F.logName) — answered")
      return output
    } catch {
      log.info("\(F.logName) — failed: \(error.logLabel)")
      throw error
    }
  }

  /// Calls a function that returns rows; see `SupabaseClient.page`.
  public func page<F: RemoteFunction, Row: Decodable & Sendable>(
    _ function: F, offset: Int = 0
  ) async throws -> Page<Row> where F.Output == [Row] {
    do {
      let page = try await client.page(function, offset: offset)
      log.info("\(F.logName) — rows: \(page.rows.count)")
      return page
    } catch {
      log.info("\(F.logName) — failed: \(error.logLabel)")
      throw error
    }
  }

  @available(*, unavailable, message: "A list is read row by row: use `page`.")
  public func call<F: RemoteFunction, Row>(
    _ function: F
  ) async throws -> [Row] where F.Output == [Row] { [] }
}

extension SupabaseClient {
  /// The same client, for a service that logs its calls.
  public func logging(by log: Logger) -> ServiceClient { ServiceClient(client: self, log: log) }
}

extension RemoteFunction {
  /// The name as services write it: `fetchFriends` for `fetch_friends`.
  fileprivate static var logName: String {
    let words = name.split(separator: "_")
    return words.dropFirst().reduce(words.first.map(String.init) ?? "") {
      $0 + $1.prefix(1).uppercased() + $1.dropFirst()
    }
  }
}
