import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyWire

/// The private address at which calendar programs read my missions.
///
/// The address is never logged: whoever has it sees my missions.
public final class CalendarService: Sendable {
  public static let shared = CalendarService(client: .shared)

  private let client: ServiceClient
  private let log = RallyLog.logger("Calendar")

  public init(client: SupabaseClient) { self.client = client.logging(by: log) }

  /// Makes my address.
  ///
  /// - Parameter secret: Made here; the server keeps a digest of it only.
  /// - Throws: `NetworkError`, also where I have one already; or `CancellationError`.
  @discardableResult
  public func makeAddress(
    _ secret: AccessSecret, clientID: UUID = UUID()
  ) async throws -> CalendarAddressRecord {
    log.info("makeCalendarAddress")
    return try await client.call(MakeCalendarAddress(secret: secret), clientID: clientID)
  }

  /// When my address was made; nil without one.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchAddress() async throws -> CalendarAddressRecord? {
    log.info("fetchCalendarAddress")
    return try await client.call(FetchCalendarAddress()).first
  }

  /// Ends my address; no effect without one.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func revokeAddress(clientID: UUID = UUID()) async throws {
    log.info("revokeCalendarAddress")
    _ = try await client.call(RevokeCalendarAddress(), clientID: clientID)
  }
}

/// The address as a calendar program takes it, which is shown once.
public struct CalendarAddress: Hashable, Sendable {
  public let server: ServerURL
  public let secret: AccessSecret

  public init(server: ServerURL, secret: AccessSecret) {
    self.server = server
    self.secret = secret
  }

  public var url: String { server.description + CalendarAddressRecord.path(secret) }

  /// Why a calendar program elsewhere cannot read it, or somebody else can; nil where nothing speaks
  /// against it.
  public var warning: String? {
    if ServerChoice.remote(server, key: "").reach == .thisMachine {
      return "\(server.host) is this machine: a calendar program elsewhere cannot reach it under "
        + "that name."
    }
    return server.isSecure ? nil : "Without https the address can be read on the way."
  }
}
