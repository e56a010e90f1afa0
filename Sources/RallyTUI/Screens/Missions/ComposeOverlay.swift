import Foundation
import RallyDomain
import RallyWire

/// The form for a mission over the screens: for a place that was looked at, or for one of mine.
struct ComposeOverlay: View {
  let missionID: UUID?
  let place: Coordinate?

  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.interface) private var interface

  var body: some View {
    MissionComposerSheet(
      mission: missionID.flatMap { missionsStore.mission($0) },
      place: place.map(Self.named)
    ) { interface.overlay = nil }
  }

  /// The coordinate itself, so that nothing moves to a city's middle.
  private static func named(_ coordinate: Coordinate) -> Place {
    Place(name: nil, coordinate: coordinate)
  }
}
