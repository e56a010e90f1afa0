import RallyDomain
import RallyWire
import TerminalKit

/// Looks at my alerts when a position, or my own, changes; follows nothing while there are none.
struct AlertObserver: View {
  let content: AnyView
  /// Whether this client decides alerts for its profile.
  let isDeciding: Bool
  let alertsStore: AlertsStore
  let socialStore: SocialStore
  let mapStore: MapStore
  let tell: @MainActor ([AlertNews]) -> Void

  @Environment(\.currentLocationProvider) private var currentLocationProvider

  private struct Watched: Equatable {
    var alerts: [LocationAlert]
    var scene: AlertScene
  }

  /// Nil while there is nothing to decide.
  private var watched: Watched? {
    let alerts = alertsStore.alerts
    guard isDeciding, !alerts.isEmpty else { return nil }
    let scene = AlertScene(
      socialStore, mapStore, currentLocationProvider, since: alertsStore.start, at: .now)
    return scene.isCurrent ? Watched(alerts: alerts, scene: scene) : nil
  }

  var body: some View {
    content.onChanges(
      ChangeObserver(watched) { _, new in
        guard let scene = new?.scene else { return }
        Task {
          let news = await alertsStore.look(at: scene)
          if !news.isEmpty { tell(news) }
        }
      })
  }
}
