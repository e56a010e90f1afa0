import Logging
import Observation
import RallyClient
import RallyEnvironment
import RallySystem

/// The state of the link to the server as the status bar shows it.
@MainActor
@Observable
public final class LinkService {
  public private(set) var state: LinkState = .signedOut
  /// How often the machine resumed from sleep since the start.
  public private(set) var wakeCount = 0

  @ObservationIgnored private let client: SupabaseClient
  @ObservationIgnored private let log = RallyLog.logger("Link")

  public init(client: SupabaseClient) { self.client = client }

  /// Follows the link until the task that runs this is cancelled.
  public func follow() async {
    guard let realtime = client.realtime else { return }
    async let wakes: Void = followWakes(of: realtime)
    for await state in await realtime.linkStates() where state != self.state {
      self.state = state
      log.info("state — \(state.label)")
    }
    await wakes
  }

  private func followWakes(of realtime: RealtimeConnection) async {
    for await _ in await realtime.wakes() {
      wakeCount += 1
      log.info("wake — count: \(wakeCount)")
    }
  }

  /// Connects now instead of at the next attempt; a live link is probed.
  public func retryNow() async { await client.realtime?.retryNow() }
}

private struct LinkServiceKey: EnvironmentKey {
  @MainActor static let defaultValue = LinkService(client: SupabaseClient())
}

extension EnvironmentValues {
  public var linkService: LinkService {
    get { self[LinkServiceKey.self] }
    set { self[LinkServiceKey.self] = newValue }
  }
}
