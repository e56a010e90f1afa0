import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyText
import RallyWire

/// Positions of friends, my own, and who may see it.
///
/// Every mutation carries a client id: repeating it with the same one has the effect of one call.
/// No position and no name of a place is ever logged.
public final class LocationsService: Sendable {
  public static let shared = LocationsService(client: .shared)

  private let client: ServiceClient
  private let log = RallyLog.logger("Locations")

  public init(client: SupabaseClient) { self.client = client.logging(by: log) }

  /// The last known positions of my friends, each cut to what its owner lets me see.
  ///
  /// - Parameter since: Only positions recorded later; nil for all.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchFriendLocations(since: WireTime? = nil) async throws -> [LocationRecord] {
    log.info("fetchFriendLocations — all: \(since == nil)")
    return try await Pages.whole { [client] in
      try await client.page(FetchFriendLocations(since: since), offset: $0)
    }
  }

  /// The default first, then every friend with what they may see and what they do see now.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchLocationSharing() async throws -> [LocationSharingRecord] {
    log.info("fetchLocationSharing")
    return try await Pages.whole { [client] in
      try await client.page(FetchLocationSharing(), offset: $0)
    }
  }

  /// My own position as the person of this name sees it on a map, or the reason why they do not.
  ///
  /// A username that does not exist, a stranger and a person who blocked me get the same answer,
  /// `notFriend`, from the same requests.
  ///
  /// - Parameters:
  ///   - isGhostPending: Whether I am becoming a ghost, which explains why nothing is sent.
  ///   - now: The time by which the age of the position is judged.
  /// - Throws: `NetworkError`.
  public func fetchOwnPosition(
    seenBy reader: Username, isGhostPending: Bool, at now: WireTime = .now
  ) async throws -> Result<LocationRecord, WithheldReason> {
    log.info("fetchOwnPosition")
    let rows = try await fetchLocationSharing()
    guard let row = rows.first(where: { $0.username == reader.value }) else {
      let isReader: (DatedProfileRecord) -> Bool = { $0.username == reader.value }
      let blocked = try await Pages.all(until: isReader) { [client] in
        try await client.page(FetchBlockedUsers(limit: Paging.maximumLimit, offset: $0))
      }
      return .failure(blocked.contains(where: isReader) ? .blocked : .notFriend)
    }
    switch row.seen {
    case .success(let location):
      let age = now.since(location.recordedAt)
      if let reason = WithheldReason(age: age, precision: location.precision) {
        return .failure(reason)
      }
      return .success(location)
    case .failure(let reason): return .failure(isGhostPending ? .ghost : reason)
    }
  }

  /// Sends measured positions of mine; the newest stays.
  ///
  /// - Parameter locations: At most `PublishLocations.limit`, cut by the caller already to what
  ///   the most exact friend may see.
  /// - Returns: What became of the newest; an older server says nothing else than that it came.
  /// - Throws: `NetworkError` or `CancellationError`.
  @discardableResult
  public func publishLocations(
    _ locations: [LocationReport], clientID: UUID = UUID()
  ) async throws -> PublishOutcome {
    let outcome = try await client.call(
      PublishLocations(locations: locations), clientID: clientID)
    log.info("publishLocations — count: \(locations.count), \(outcome.outcome)")
    return outcome
  }

  /// Deletes my position on the server; what is shared with whom stays.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func withdrawLocation(clientID: UUID = UUID()) async throws {
    log.info("withdrawLocation")
    _ = try await client.call(WithdrawLocation(), clientID: clientID)
  }

  /// Decides how much a friend, or by default everybody, may see.
  ///
  /// - Parameters:
  ///   - userID: The friend; nil for the default.
  ///   - until: When it ends and the default holds again; nil for no end.
  ///   - endsGhost: What becomes of a ghost, see `SetLocationSharing`.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func setLocationSharing(
    userID: UUID?, mode: SharingMode, until: WireTime? = nil, endsGhost: Bool? = nil,
    clientID: UUID = UUID()
  ) async throws {
    log.info(
      """
      setLocationSharing — user: \(userID?.wireText ?? "default"), mode: \(mode.rawValue), \
      timed: \(until != nil)
      """)
    _ = try await client.call(
      SetLocationSharing(
        userID: userID, mode: mode, until: until, endsGhost: endsGhost), clientID: clientID)
  }

  /// Makes me seen by nobody, or by those with whom I share.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func setGhost(_ isGhost: Bool, clientID: UUID = UUID()) async throws {
    log.info("setGhost — on: \(isGhost)")
    _ = try await client.call(SetGhost(isGhost: isGhost), clientID: clientID)
  }

  /// Shows my precise position to members of a mission until I am there.
  ///
  /// - Parameter readers: The members whom I was shown.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func beginOnMyWay(
    to missionID: UUID, readers: [UUID], clientID: UUID = UUID()
  ) async throws {
    log.info("beginOnMyWay — mission: \(missionID.wireText), readers: \(readers.count)")
    _ = try await client.call(
      BeginOnMyWay(missionID: missionID, userIDs: readers), clientID: clientID)
  }

  /// Ends what `beginOnMyWay` began.
  ///
  /// - Parameter missionID: nil for all missions.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func endOnMyWay(to missionID: UUID? = nil, clientID: UUID = UUID()) async throws {
    log.info("endOnMyWay — mission: \(missionID?.wireText ?? "all")")
    _ = try await client.call(EndOnMyWay(missionID: missionID), clientID: clientID)
  }
}

/// Positions of my friends as they change.
public final class LocationsRealtimeService: Sendable {
  public static let shared = LocationsRealtimeService(client: .shared)

  private let client: SupabaseClient
  private let log = RallyLog.logger("LocationsRealtime")

  public init(client: SupabaseClient) { self.client = client }

  /// Joins the channel of positions.
  ///
  /// It stays joined, over every reconnect, until `leave`; a second `listen` takes the events
  /// over from the first.
  ///
  /// - Throws: `NetworkError.notConfigured` or `.signedOut`.
  public func listen() async throws -> AsyncStream<RealtimeUpdate<LocationChange>> {
    log.info("subscribe — channel: locations")
    return try await client.joinChannel(RealtimeTopic.locations) { _ in
      ChannelConfiguration(changes: [ChangeBinding(table: LocationRecord.table)])
    }.events(LocationChange.init)
  }

  /// Leaves the channel; nothing more arrives.
  public func leave() async {
    log.info("leave — channel: locations")
    await client.leaveChannel(RealtimeTopic.locations)
  }
}

extension LocationsRealtimeService {
  /// Waits for the next position that a friend shows, by events and not by asking again and again.
  /// The channel is joined for as long.
  ///
  /// - Parameters:
  ///   - patience: How long to wait at most.
  ///   - look: Called after each event that may be about the friend; nil goes on waiting.
  /// - Returns: What `look` returned; nil if nothing came in time.
  /// - Throws: `NetworkError`, and what `look` throws.
  public func nextPosition<Found: Sendable>(
    of friendID: UUID, within patience: Duration,
    look: @escaping @Sendable () async throws -> Found?
  ) async throws -> Found? {
    await client.realtime?.start()
    let events = try await listen()
    let found = try await withThrowingTaskGroup(of: Found?.self) { group in
      group.addTask {
        for await event in events {
          switch event {
          case .changed(.moved(let record)) where record.userID != friendID: continue
          case .interrupted, .changed(.removed): continue
          case .live, .changed: break
          }
          if let found = try await look() { return found }
        }
        return nil
      }
      group.addTask {
        try await DispatchSleep.for(patience)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    await leave()
    await client.realtime?.stop()
    return found
  }
}

/// A change of a position that is visible to me.
public enum LocationChange: Hashable, Sendable {
  /// A position as I see it now; my own is among them.
  case moved(LocationRecord)
  /// This user's position is no longer visible to me.
  case removed(UUID)
  /// A change that cannot be decoded; the positions must be fetched.
  case unknown

  init(_ change: ChangeEvent) {
    if change.type == .delete {
      let id = (change.oldRecord?["user_id"]?.string).flatMap(UUID.init(wireText:))
      self = id.map(Self.removed) ?? .unknown
    } else {
      let record = change.record.flatMap {
        try? JSONValue.object($0).decoded(as: LocationRecord.self)
      }
      self = record.map(Self.moved) ?? .unknown
    }
  }
}

/// Changes of my own decisions about sharing, and of my own position, made by any client of mine.
public final class SharingRealtimeService: Sendable {
  public static let shared = SharingRealtimeService(client: .shared)

  private let client: SupabaseClient
  private let log = RallyLog.logger("SharingRealtime")

  public init(client: SupabaseClient) { self.client = client }

  /// Joins the sharing channel.
  ///
  /// It stays joined, over every reconnect, until `leave`; a second `listen` takes the events
  /// over from the first.
  ///
  /// - Throws: `NetworkError.notConfigured` or `.signedOut`.
  public func listen() async throws -> AsyncStream<RealtimeUpdate<SharingNotice>> {
    log.info("subscribe — channel: sharing")
    return try await client.joinChannel(RealtimeTopic.sharing) { userID in
      ChannelConfiguration(changes: [
        ChangeBinding(table: LocationSharingRecord.table),
        ChangeBinding(table: LocationRecord.table, filter: "user_id=eq.\(userID.wireText)"),
      ])
    }.events(SharingNotice.init)
  }

  /// Leaves the channel; nothing more arrives.
  public func leave() async {
    log.info("leave — channel: sharing")
    await client.leaveChannel(RealtimeTopic.sharing)
  }
}

/// A change of my sharing, made by any client of mine.
public enum SharingNotice: Hashable, Sendable {
  /// My position as the server has it now.
  case position(LocationRecord)
  /// Something else changed; a hint to fetch the sharing again.
  case settings

  init(_ change: ChangeEvent) {
    let isPosition = change.table == LocationRecord.table
    let record = (isPosition ? change.record : nil).flatMap {
      try? JSONValue.object($0).decoded(as: LocationRecord.self)
    }
    self = record.map(Self.position) ?? .settings
  }
}
