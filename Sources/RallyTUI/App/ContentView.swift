import RallyDomain
import RallyWire
import TerminalKit

/// The three tabs of a signed-in person.
struct ContentView: View {
  let session: RallySession
  /// Owned by the session.
  let stores: SharedStores

  @State private var frameSummary: FrameSummary
  @State private var firstSteps: FirstSteps
  @Environment(\.demoStatus) private var demoStatus

  init(session: RallySession, stores: SharedStores) {
    self.session = session
    self.stores = stores
    _frameSummary = State(wrappedValue: FrameSummary(session, stores))
    _firstSteps = State(
      wrappedValue: FirstSteps(
        social: stores.social, map: stores.map, sharing: stores.locationSharing,
        invitations: stores.invitations, memory: session.services.interfaceMemory))
  }

  var body: some View {
    let firstSteps = demoStatus == nil ? firstSteps : nil
    return
      frame
      .followsSession(session, stores)
      .followsDemoHints()
      .followsStreets()
      .followsFirstSteps()
      .windowTitle(frameSummary.waiting)
      .environment { values in
        stores.supply(to: &values)
        values.frameSummary = frameSummary
        values.firstSteps = firstSteps
      }
  }

  private var frame: some View {
    let navigationService = session.services.navigationService
    return AppFrame {
      UnderlayTabView(
        selection: Binding(
          get: { navigationService.selectedTab }, set: { navigationService.select($0) })
      ) {
        UnderlayTab(RallyTab.map.title, value: RallyTab.map) { MapHome() }
        UnderlayTab(RallyTab.missions.title, value: RallyTab.missions) { MissionsHome() }
        UnderlayTab(RallyTab.friends.title, value: RallyTab.friends) { SocialHome() }
      }
    }
  }
}
