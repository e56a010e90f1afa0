import RallyDomain
import RallyWire
import TerminalKit

/// The radar of a mission, with the selected objective on it.
struct MissionRadarPane: View {
  let mission: Mission
  let selection: Binding<MissionDetailRow.ID?>
  let now: WireTime

  @Environment(\.actions) private var actions
  @Environment(\.mapGlyphs) private var mapGlyphs
  @Environment(\.mapStore) private var mapStore

  var body: some View {
    let members = Set(mission.joined.map(\.userID))
    let radar = MissionRadar(
      mission,
      positions: mapStore.positions.filter { members.contains($0.id) && $0.isShown(at: now) },
      me: mapStore.myPosition, glyphs: mapGlyphs, at: now)
    SmallMap(
      markers: radar.markers, fitted: radar.fitted, selectedID: selectedID, origin: radar.origin
    ) { actions.perform(MissionActions.showOnMap.id) }
  }

  private var selectedID: String? {
    guard case .objective(let id)? = selection.wrappedValue else { return nil }
    return mission.objectives.first { $0.id == id }.map(MissionRadar.id)
  }
}
