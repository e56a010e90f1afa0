import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyText
import RallyWire

/// Changes of my friendships and of questions where somebody is, and the presence of my friends, as
/// they happen.
public final class FriendsRealtimeService: Sendable {
  public static let shared = FriendsRealtimeService(client: .shared)

  private let client: SupabaseClient
  private let log = RallyLog.logger("FriendsRealtime")

  public init(client: SupabaseClient) { self.client = client }

  /// Joins the channels of friendships and presence, and shows me as online.
  ///
  /// The channels stay joined, over every reconnect, until `leave`; a second `listen` takes the
  /// events over from the first.
  ///
  /// - Throws: `NetworkError.notConfigured` or `.signedOut`.
  public func listen() async throws -> AsyncStream<RealtimeUpdate<FriendsChange>> {
    let connection = try client.configured()
    guard let session = await connection.keeper.current() else { throw NetworkError.signedOut }
    let userID = session.user.id
    let realtime = connection.realtime
    log.info("subscribe — channels: friendships, presence")
    let changes = await realtime.join(
      RealtimeTopic.friendships,
      ChannelConfiguration(changes: [
        ChangeBinding(table: FriendshipRecord.table, embed: true),
        ChangeBinding(table: LocationAskRecord.table),
      ]))
    let presence = await realtime.join(
      RealtimeTopic.presence,
      ChannelConfiguration(presence: .init(key: userID.wireText)))
    return AsyncStream { continuation in
      let task = Task {
        await withTaskGroup { group in
          group.addTask { await Self.forward(changes, of: userID, to: continuation) }
          group.addTask { await Self.forward(presence: presence, of: userID, to: continuation) }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Leaves the channels; others see me as offline, and nothing more arrives.
  public func leave() async {
    guard let realtime = client.realtime else { return }
    log.info("leave — channels: friendships, presence")
    await realtime.leave(RealtimeTopic.friendships)
    await realtime.leave(RealtimeTopic.presence)
  }

  private static func forward(
    _ events: AsyncStream<ChannelEvent>, of userID: UUID,
    to listener: AsyncStream<RealtimeUpdate<FriendsChange>>.Continuation
  ) async {
    for await event in events {
      switch event {
      case .live: listener.yield(.live)
      case .gap: listener.yield(.interrupted)
      case .change(let change): listener.yield(.changed(FriendsChange(change, of: userID)))
      case .presenceState, .presenceDiff: break
      }
    }
  }

  private static func forward(
    presence events: AsyncStream<ChannelEvent>, of userID: UUID,
    to listener: AsyncStream<RealtimeUpdate<FriendsChange>>.Continuation
  ) async {
    var presence = PresenceState()
    for await event in events {
      switch event {
      case .presenceState(let state): presence.replace(with: state)
      case .presenceDiff(let difference): presence.apply(difference)
      case .gap:
        presence = PresenceState()
        continue
      case .live, .change: continue
      }
      listener.yield(.changed(.presence(online: presence.online.subtracting([userID]))))
    }
  }
}

/// A change of my friendships, of questions where somebody is, or of the presence of my friends.
public enum FriendsChange: Hashable, Sendable {
  /// What somebody is to me now.
  case relation(FriendshipNews)
  /// A question between a friend and me; nil for one that was closed.
  case locationAsk(friendID: UUID, RequestDirection, askedAt: WireTime?)
  /// Something changed that the event does not say: the lists must be fetched.
  case unknown
  /// All my friends who are online now.
  case presence(online: Set<UUID>)

  init(_ change: ChangeEvent, of userID: UUID) {
    self =
      switch change.table {
      case FriendshipRecord.table:
        FriendshipNews(change).map(Self.relation) ?? .unknown
      case LocationAskRecord.table: Self.locationAsk(change, of: userID) ?? .unknown
      default: .unknown
      }
  }

  private static func locationAsk(_ change: ChangeEvent, of userID: UUID) -> FriendsChange? {
    let row = change.record ?? change.oldRecord
    func id(_ name: String) -> UUID? { (row?[name]?.string).flatMap(UUID.init(wireText:)) }
    guard let asker = id("asker_id"), let asked = id("asked_id") else { return nil }
    let time = (change.record?["asked_at"]?.string).flatMap { WireTime($0) }
    if change.type != .delete, time == nil { return nil }
    if asked == userID { return .locationAsk(friendID: asker, .incoming, askedAt: time) }
    return asker == userID ? .locationAsk(friendID: asked, .outgoing, askedAt: time) : nil
  }
}

/// Who is online, kept up to date by Phoenix presence messages.
///
/// A user can be present several times (two terminals): each connection has its own reference, and
/// the user is offline when the last one has left.
struct PresenceState: Hashable, Sendable {
  /// Of one person, whom the server lets have fewer.
  private static let mostConnections = 256

  private var references: [UUID: Set<String>] = [:]

  var online: Set<UUID> { Set(references.keys) }

  /// Takes the full state: `{"<user id>": {"metas": [{"phx_ref": …}, …]}}`.
  mutating func replace(with state: JSONValue) { references = Self.references(of: state) }

  /// Takes a difference: `{"joins": {…}, "leaves": {…}}`.
  ///
  /// Joins count first, so that an update (the old reference leaves, the new one joins) never shows
  /// a user as offline.
  mutating func apply(_ difference: JSONValue) {
    for (id, joined) in Self.references(of: difference["joins"]) {
      // Nobody has more friends, nor a friend more connections.
      guard references[id] != nil || references.count < Pages.mostRows,
        references[id]?.count ?? 0 < Self.mostConnections
      else { continue }
      references[id, default: []].formUnion(joined)
    }
    for (id, left) in Self.references(of: difference["leaves"]) {
      references[id]?.subtract(left)
      if references[id]?.isEmpty == true { references[id] = nil }
    }
  }

  private static func references(of state: JSONValue?) -> [UUID: Set<String>] {
    var found: [UUID: Set<String>] = [:]
    for (key, entry) in state?.object ?? [:] {
      guard let id = UUID(wireText: key), let metas = entry["metas"]?.array, !metas.isEmpty
      else { continue }
      found[id] = Set(metas.map { $0["phx_ref"]?.string ?? "" })
    }
    return found
  }
}
