import FoundationEssentials
import Logging
import RallyClient
import RallyGate
import RallySystem
import RallyWatch
import RallyWire

/// A link of mine.
public struct WatchLink: Hashable, Sendable, Identifiable {
  public var record: WatchLinkRecord
  /// Its address; nil for one that another terminal made, which alone has the key.
  public var address: String?
  /// Where the browser of my phone feeds it; nil but in the answer to whoever made it.
  public var phoneAddress: String?

  public init(record: WatchLinkRecord, address: String? = nil, phoneAddress: String? = nil) {
    self.record = record
    self.address = address
    self.phoneAddress = phoneAddress
  }

  public var id: WatchLinkID { record.linkID }
}

/// A link that this terminal made, and what it was fed.
struct WatchFeed: Sendable {
  let address: WatchAddress
  let record: WatchLinkRecord
  /// What is sent to whoever may watch.
  let link: String
  private(set) var counter: Int64 = 0
  /// What was shown last, with its old time while nothing newer may leave.
  private(set) var place: WatchPlace
  /// The cell whose surroundings pages have, and the counter of these; nil for a cell without lines.
  private(set) var ground: (counter: Int64?, cell: GridCell)?
  /// When the next message is due.
  var next: ContinuousClock.Instant = .now

  /// - Parameters:
  ///   - name: What I am called.
  ///   - server: The server's public address.
  init(_ address: WatchAddress, _ record: WatchLinkRecord, name: String, server: String) {
    self.address = address
    self.record = record
    link = address.link(at: server)
    place = WatchPlace(
      name: name, mode: record.mode, sentAt: record.createdAt, until: record.until)
  }

  var isFirst: Bool { counter == 0 }

  /// Shows the place itself; nothing of a coarse link does.
  mutating func show(_ fix: LocationFix, near: String?) {
    place.coordinate = fix.coordinate
    place.accuracyMetres = fix.accuracyMetres
    place.speed = fix.speed
    place.course = fix.course
    place.recordedAt = fix.recordedAt
    place.near = near
  }

  /// Shows a cell, with the quarter hour in which it was announced.
  mutating func show(_ cell: GridCell, since: WireTime, near: String?) {
    place.coordinate = cell.center
    place.accuracyMetres = cell.level.accuracyMetres
    place.recordedAt = since
    place.near = near
  }

  /// The cell whose surroundings belong to what is shown, if those are others than pages have.
  var newSurroundings: GridCell? {
    guard let place = place.coordinate else { return nil }
    let cell = GridCell.following(
      ground?.cell, at: place, level: record.mode.gridLevel ?? .oneKilometre)
    return cell == ground?.cell ? nil : cell
  }

  /// The next messages.
  ///
  /// - Parameters:
  ///   - lines: Those around the cell; nil for none.
  ///   - cell: The new surroundings; nil where pages have them.
  mutating func seal(
    _ lines: WatchGround?, of cell: GridCell?, at now: WireTime
  ) throws -> (place: WatchMessage, ground: WatchMessage?) {
    counter += 1
    var sealed: WatchMessage?
    if let cell {
      ground = (lines == nil ? nil : counter, cell)
      sealed = lines?.message(counter: counter, of: address)
    }
    place.ground = ground?.counter
    place.sentAt = now
    return (try place.message(counter: counter, of: address), sealed)
  }

  /// The server may not have got the ground: it is sent again.
  mutating func lostGround() { ground = nil }

  /// The time to the next message: the beat with a tenth of it more or less, whatever happens.
  mutating func setNext() {
    let beat = WatchRules.beat(record.mode)
    next = .now + beat * Double.random(in: 0.9...1.1)
  }
}

/// The cells that coarse links of this terminal show, by the rules of the server's gate, and the secret
/// from which the delays of moves follow.
///
/// It is kept in a private file. So a link that is made anew at an edge reveals no more than one
/// that went on, and the same way has the same delay all month.
struct WatchGate: Hashable, Sendable, Codable {
  /// What is known of a level, and until when.
  private struct Memory: Hashable, Sendable, Codable {
    var announced: AnnouncedCell
    /// When it was last reported to.
    var at: WireTime
  }

  /// After this the next report is treated as the first.
  private static let lifetime = Duration.seconds(86_400)

  private let secret: [UInt8]
  private var memories: [String: Memory] = [:]

  init(secret: WatchKey = .random()) { self.secret = secret.bytes }

  /// The cell that may be shown after a report.
  ///
  /// - Parameters:
  ///   - place: Where this device is.
  ///   - measured: When it was measured.
  ///   - isFirst: Whether no link of this level was fed until now.
  mutating func report(
    _ place: Coordinate, level: GridLevel, of owner: String, measured: WireTime, isFirst: Bool,
    delay: MoveDelay = .derived, at now: WireTime
  ) -> AnnouncedCell {
    let key = WatchKey(bytes: secret)
    let known = remembered(level, near: isFirst ? place : nil, at: now)
    let next =
      known.map { known in
        known.announcing(at: now).following(
          place, measured: measured, at: now,
          due: {
            delay.due(
              CellMove(owner: owner, from: known.cell, to: $0, time: now),
              by: { key?.digest(of: $0) ?? [] })
          }, mark: { _ in "" })
      } ?? AnnouncedCell(first: place, level: level, measured: measured) { _ in "" }
    memories[level.rawValue] = Memory(announced: next, at: now)
    return next
  }

  /// The cell that may be shown without a report: a move that was due is announced.
  mutating func announced(_ level: GridLevel, at now: WireTime) -> AnnouncedCell? {
    guard var memory = memories[level.rawValue] else { return nil }
    memory.announced = memory.announced.announcing(at: now)
    memories[level.rawValue] = memory
    return memory.announced
  }

  /// - Parameter place: Where a link begins, which a cell has to be near to.
  private func remembered(
    _ level: GridLevel, near place: Coordinate?, at now: WireTime
  ) -> AnnouncedCell? {
    guard let memory = memories[level.rawValue],
      memory.at.isRecent(within: Self.lifetime, at: now)
    else { return nil }
    guard let place else { return memory.announced }
    let near = GridCell(containing: place, level: level).neighbourhood
    let shown = memory.announced.announcing(at: now)
    return near.contains(shown.cell) ? shown : nil
  }
}

/// What a link that shows where I am needs of what I share, and changes of it.
@MainActor
protocol WatchedSharing: AnyObject, Sendable {
  /// My links, the oldest first.
  var links: [WatchLinkRecord] { get set }
  var ghostPhase: GhostPhase? { get }
  var privacyRules: PrivacyRulesService { get }
  var currentLocationProvider: CurrentLocationProvider { get }
  /// Sources measure while anybody watches.
  func setWatched(_ isWatched: Bool)
}

extension LocationSharingStore: WatchedSharing {}

extension WatchStore {
  /// A store without a server: every call fails with `.notConfigured`.
  static func inert() -> WatchStore {
    WatchStore(
      watchService: WatchService(client: SupabaseClient()),
      authService: AuthService(client: SupabaseClient()),
      serverHealthService: ServerHealthService(client: SupabaseClient()),
      profileService: ProfileService(client: SupabaseClient()),
      persistenceService: PersistenceService(), sharing: LocationSharingStore.inert(), places: .none
    )
  }
}

/// Links that show where I am to whoever has their address.
///
/// No key and no position is ever logged, and neither is a link's name.
public final class WatchService: Sendable {
  public static let shared = WatchService(client: .shared)

  private let client: ServiceClient
  private let log = RallyLog.logger("Watch")

  public init(client: SupabaseClient) { self.client = client.logging(by: log) }

  /// Makes a link, which shows nothing before it is fed.
  ///
  /// - Parameter secret: With which the browser of my phone feeds it; nil for one that this session
  ///   feeds.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func makeLink(
    _ id: WatchLinkID, mode: SharingMode, until: WireTime, secret: AccessSecret? = nil,
    clientID: UUID = UUID()
  ) async throws -> WatchLinkRecord {
    log.info("makeLink — mode: \(mode.rawValue), from a phone: \(secret != nil)")
    return try await client.call(
      MakeWatchLink(linkID: id, mode: mode, until: until, secret: secret), clientID: clientID)
  }

  /// Replaces what a link shows.
  ///
  /// - Returns: How many have it open.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func feedLink(
    _ id: WatchLinkID, place: WatchMessage, ground: WatchMessage?
  ) async throws -> Int {
    let feedback = try await client.call(
      FeedWatchLink(linkID: id, place: place, ground: ground))
    log.info("feedLink — ground: \(ground != nil)")
    return feedback.watchers
  }

  /// Ends a link; nil ends all.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func endLinks(_ id: WatchLinkID? = nil, clientID: UUID = UUID()) async throws {
    log.info("endLinks — all: \(id == nil)")
    _ = try await client.call(EndWatchLinks(linkID: id), clientID: clientID)
  }

  /// My links that have not ended, those of other terminals too; none on a server without them.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchLinks() async throws -> [WatchLinkRecord] {
    do {
      return try await Pages.whole { [client] in
        try await client.page(FetchWatchLinks(), offset: $0)
      }
    } catch NetworkError.refused(let failure, _) where failure.isUnknownFunction {
      return []
    }
  }
}
