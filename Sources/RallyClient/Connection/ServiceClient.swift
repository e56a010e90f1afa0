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

/// Keeps the client id of a call until its response arrives, so that the same call after a lost
/// response is sent with the same id and counts once.
package struct UnansweredCall<Call: Equatable> {
  private var pending: (call: Call, clientID: UUID)?

  package init() {}

  /// The client id to send a call with: a new one unless the same call has no response yet.
  package mutating func clientID(for call: Call) -> UUID {
    if let pending, pending.call == call { return pending.clientID }
    let clientID = UUID()
    pending = (call, clientID)
    return clientID
  }

  /// Records that the response arrived.
  package mutating func answered() { pending = nil }
}

extension Error {
  /// Whether the error need not be shown: the work was cancelled, or the session ended meanwhile.
  public func isExpectedError() -> Bool {
    switch self {
    case is CancellationError: true
    case let error as NetworkError: error == .signedOut
    case let error as AuthError: error == .signedOut
    default: false
    }
  }
}
