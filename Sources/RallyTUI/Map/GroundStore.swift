import Observation
import RallyEnvironment
import RallyMap
import RallyStreets

/// The street tiles under the map. They are read and decoded off the main actor; until they are
/// there, the map is drawn with the tiles of the last view.
@MainActor
@Observable
public final class GroundStore {
  /// What the map draws.
  public private(set) var ground = MapGround.none

  @ObservationIgnored private let tiles: StreetTiles?
  @ObservationIgnored private var wanted: Viewport?
  @ObservationIgnored private var task: Task<Void, Never>?

  /// - Parameter tiles: nil never shows streets.
  public init(tiles: StreetTiles?) { self.tiles = tiles }

  /// Asks for the tiles under a view, unless they have been asked for already.
  func show(_ viewport: Viewport) {
    guard let tiles, viewport != wanted else { return }
    wanted = viewport
    guard viewport.zoom >= MapGround.lowestZoom || ground != .none else { return }
    task?.cancel()
    task = Task { [weak self] in
      let found = await tiles.ground(for: viewport)
      guard let self, let found, !Task.isCancelled, found != ground else {
        return
      }
      ground = found
    }
  }
}

private struct GroundStoreKey: EnvironmentKey {
  @MainActor static let defaultValue = GroundStore(tiles: nil)
}

extension EnvironmentValues {
  /// The street tiles under the map.
  @MainActor public var groundStore: GroundStore {
    get { self[GroundStoreKey.self] }
    set { self[GroundStoreKey.self] = newValue }
  }
}
