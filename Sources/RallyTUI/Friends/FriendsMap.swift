import RallyDomain
import RallyMap
import RallyWire
import RallyWords
import TerminalKit

/// Everybody who shows me where they are, around the selected one and me, beside a wide list.
struct FriendsMap: View {
  let selectedID: Binding<PeopleRow.ID?>

  @Environment(\.actions) private var actions
  @Environment(\.ageClock) private var ageClock
  @Environment(\.mapGlyphs) private var mapGlyphs
  @Environment(\.mapStore) private var mapStore

  var body: some View {
    let now = ageClock.now
    let me = mapStore.myPosition
    let positions = mapStore.positionsByDistance(at: now)
    let selected = positions.first { .person($0.id) == selectedID.wrappedValue }
    let selectedPin = selected.map { MapMarkers.id(of: $0.id) }
    let markers = MapMarkers.markers(
      positions, me: me, selectedID: selected?.id, glyphs: mapGlyphs, at: now)
    SmallMap(
      markers: markers,
      fitted: markers.filter { [nil, $0.id].contains(selectedPin) || $0.id == MapMarkers.me }
        .map(\.point),
      selectedID: selectedPin,
      origin: me.map { GeoPoint($0.coordinate) }
    ) { actions.perform(PersonActions.onMap.id) }
    .aging(if: !positions.isEmpty)
  }
}
