import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyText
import RallyWire

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
