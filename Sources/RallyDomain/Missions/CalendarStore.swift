import FoundationEssentials
import Logging
import Observation
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

/// Whether my missions have a private address for calendar programs, and the one that was just made.
@MainActor
@Observable
public final class CalendarStore: CallLoading {
  // MARK: - Dependencies
  @ObservationIgnored private let calendarService: CalendarService
  /// The server that calendar programs ask.
  public let server: ServerChoice

  // MARK: - State
  /// nil without an address, and before it is known.
  public private(set) var record: CalendarAddressRecord?
  /// What `record` is doing.
  public internal(set) var loadState: CommunityLoadState = .loading
  /// The latest failure to show; the next call clears it.
  public internal(set) var presentedError: CommunityViewError?
  /// The address that was made last; the only time that its secret is there.
  public private(set) var made: CalendarAddress?

  /// Whether an address is being made or revoked.
  @ObservationIgnored private var isChanging = false
  /// A fetch that a change came between may be older than it.
  @ObservationIgnored private var changeCount = 0
  @ObservationIgnored let log = RallyLog.logger("Calendar")
  @ObservationIgnored let failureTitle = "The calendar's address is not up to date"

  // MARK: - Lifecycle

  public init(calendarService: CalendarService = .shared, server: ServerChoice) {
    self.calendarService = calendarService
    self.server = server
  }

  // MARK: - Intents

  /// Why the last fetch or change failed, as one sentence; nil if it did not.
  public var problem: String? { failureSentence }

  /// Whether `record` is being fetched or changed.
  public var isBusy: Bool { loadState.isBusy }

  /// Fetches whether there is an address; makes none.
  ///
  /// - What: Fills `record`.
  /// - How: A change that came meanwhile wins over the response.
  /// - Why: Who has an address must see so, though its secret is gone.
  /// - Service Calls: `CalendarService.fetchAddress`
  public func fetchAddress() async {
    let (service, before) = (calendarService, changeCount)
    let outcome = await load("fetchAddress") { try await service.fetchAddress() }
    if let record = outcome.value, changeCount == before { self.record = record }
  }

  /// Makes the address.
  ///
  /// - What: Registers a secret, and shows it in `made`.
  /// - How: After a failure it fetches whether there is one: only the answer may have been lost.
  /// - Why: A secret is shown once and kept nowhere; who loses it revokes the address and makes
  ///   another one.
  /// - Service Calls: `CalendarService.makeAddress`, `CalendarService.fetchAddress`
  /// - Returns: `.notStarted` while there is one, and on the embedded server, which no calendar
  ///   program elsewhere can reach.
  @discardableResult
  public func makeAddress() async -> IntentOutcome<CalendarAddressRecord> {
    guard !isChanging, record == nil, let url = server.url else { return .notStarted }
    let (service, address) = (calendarService, CalendarAddress(server: url, secret: .random()))
    let outcome = await alter("makeAddress") { try await service.makeAddress(address.secret) }
    if let record = outcome.value {
      (self.record, made) = (record, address)
      // Silent: that the address is not made was said, and this only asks whether there was one.
    } else if let known = try? await service.fetchAddress() {
      record = known
    }
    return outcome
  }

  /// Ends the address at once.
  ///
  /// - What: Nothing can read the calendar any more once the server agreed.
  /// - How: Also while the address is fetched, whose response is dropped then.
  /// - Why: A secret that got out must be ended at once.
  /// - Service Calls: `CalendarService.revokeAddress`
  @discardableResult
  public func revokeAddress() async -> IntentOutcome<Void> {
    guard !isChanging else { return .notStarted }
    let service = calendarService
    let outcome = await alter("revokeAddress") { try await service.revokeAddress() }
    if outcome.isDone { (record, made) = (nil, nil) }
    return outcome
  }

  /// Forgets the secret that was shown.
  public func forgetMade() { made = nil }

  /// As `change`, also while the address is fetched.
  private func alter<Value: Sendable>(
    _ source: String, _ work: @escaping @Sendable () async throws -> Value
  ) async -> IntentOutcome<Value> {
    (isChanging, changeCount) = (true, changeCount + 1)
    defer { (isChanging, changeCount) = (false, changeCount + 1) }
    return await change(source, work)
  }
}
