import RallyDomain
import RallyState
import RallyWire
import TerminalKit

/// The sheet with the form of a new or existing mission.
///
/// What was typed is kept when the sheet goes away, and found again by the next one for the same
/// mission.
struct MissionComposerSheet: View {
  let mission: Mission?
  let place: Place?
  let onClose: () -> Void

  @Environment(\.draftStores) private var draftStores
  @Environment(\.currentLocationProvider) private var currentLocationProvider
  @Environment(\.mapStore) private var mapStore
  @Environment(\.privacyRulesService) private var privacyRulesService
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.interface) private var interface
  @Environment(\.rallySession) private var rallySession

  /// - Parameters:
  ///   - mission: The one to change; nil for a new one.
  ///   - place: Where it shall be, such as a place picked on the map.
  ///   - onClose: Takes the sheet away, after sending or for later.
  init(mission: Mission? = nil, place: Place? = nil, onClose: @escaping () -> Void) {
    self.mission = mission
    self.place = place
    self.onClose = onClose
  }

  var body: some View {
    let store = store
    MissionComposerForm(store: store, place: place) { ending in
      switch ending {
      case .sent:
        let changed = store.sentNothing ? "Nothing was changed." : "Mission changed."
        draftStores.remove(MissionComposerReducer.self, id: store.id)
        interface.say(mission == nil ? "Mission created." : changed, kind: .success)
      case .later:
        if store.isUntouched {
          store.send(.close)
          draftStores.remove(MissionComposerReducer.self, id: store.id)
        } else {
          keep(store)
        }
      }
      onClose()
    }
  }

  /// Says that what was typed is kept once it is.
  private func keep(_ store: Store<MissionComposerReducer>) {
    let interface = interface
    Task.immediate {
      await store.send(.close)
      if let unkept = store.unkept {
        interface.say(
          "What you typed is kept until Rally ends, no longer: \(unkept)", kind: .warning)
      } else {
        interface.say("What you typed is kept until you send or clear it.")
      }
    }
  }

  /// Where a mission is without another place; nil while that is held back.
  private var here: Coordinate? {
    privacyRulesService.limit(of: currentLocationProvider).mode == .precise
      ? mapStore.myPosition?.coordinate : nil
  }

  private var store: Store<MissionComposerReducer> {
    let (missionsStore, interface) = (missionsStore, interface)
    let placeFinder = rallySession?.placeFinder ?? .world
    return draftStores.store(
      type: MissionComposerReducer.self,
      state: MissionComposerReducer.State(
        mission: mission, here: here,
        when: WhenText(timeZone: .current, now: .now))
    ) { services in
      MissionComposerReducer.Environment(
        draftKeeper: services.draftKeeper, placeFinder: placeFinder,
        broadcastStudio: services.broadcastStudio,
        create: { call, id in
          await interface.act("Creating a mission") {
            await missionsStore.create(call, clientID: id)
          }
        },
        update: { call, id in
          await interface.act("Changing a mission") {
            await missionsStore.update(call, clientID: id)
          }
        })
    }
  }
}
