import FoundationEssentials
import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// Everything that a friend lets one know of where they are, and what they see of me.
struct PositionFacts: View {
  let position: FriendPosition
  let now: WireTime

  @Environment(\.groundStore) private var groundStore
  @Environment(\.mapStore) private var mapStore
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.placeNames) private var placeNames

  var body: some View {
    let me = mapStore.myPosition
    let place =
      groundStore.street(of: position) ?? placeNames.place(at: position.coordinate)
    let device = [
      PositionFormatter.movement(of: position),
      position.battery.map { "battery \(Int($0.rounded()))%" },
    ].compactMap(\.self)
    let known: [String?] = [
      PositionFormatter.age(of: position, at: now), PositionFormatter.exactness(of: position),
      place?.title, PositionFormatter.distance(of: position, from: me),
    ]
    let sharing = PositionFormatter.sharing(with: position.id, in: locationSharingStore, at: now)
    Lines(
      known.compactMap(\.self).map { Line($0) }
        + (Self.lines(device) + [sharing]).filter { !$0.isEmpty }.map { Line($0, .dim) })
  }

  /// In one line where the narrowest pane has room for it.
  static func lines(_ facts: [String]) -> [String] {
    let line = facts.joined(separator: " · ")
    return line.cellWidth <= PaneWidths.narrowest - 2 ? [line] : facts
  }
}
