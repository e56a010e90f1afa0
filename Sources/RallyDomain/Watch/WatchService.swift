import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyWire

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
