import FoundationEssentials
import RallyDomain
import RallyWire
import TerminalKit

/// The details of a friend's position, over the map.
struct PositionSheet: View {
  let friendID: UUID

  @Environment(\.mapStore) private var mapStore
  @Environment(\.interface) private var interface

  var body: some View {
    Box(title: "Where") {
      if let position = mapStore.position(of: friendID) {
        VStack(spacing: 0) {
          PositionDetail(position: position, now: .now)
          Text("\(position.coordinate)  from \(position.source)", .dim).padding(horizontal: 1)
        }
      } else {
        Text("This friend shares no position with you any more.", .dim)
      }
    }
    .frame(maxWidth: 56)
    .onCopy(disabled: mapStore.position(of: friendID) == nil ? "There is no position." : nil) {
      mapStore.position(of: friendID).map(Clipping.init)
    }
    .onAction(.leave) { interface.overlay = nil }
    .onAction(MapActions.details.id) { interface.overlay = nil }
  }
}
