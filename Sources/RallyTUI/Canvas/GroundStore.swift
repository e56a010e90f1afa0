import Observation
import RallyDomain
import RallyEnvironment
import RallyMap
import RallyStreets
import RallyWire

/// The street tiles under the map, and their names. They are read and decoded off the main actor;
/// until they are there, the map is drawn with the tiles of the last view.
@Observable
public final class GroundStore {
  // MARK: - Dependencies
  @ObservationIgnored private let tiles: StreetTiles?

  // MARK: - State
  /// What the map draws.
  public private(set) var ground = MapGround.none
  /// Whether tiles or streets that were asked for are still being read.
  public var isReading: Bool { readCount > 0 }

  /// Streets by coordinate; nil for a coordinate at which no archive has one.
  private var streets: [Coordinate: Place?] = [:]
  private var matches: (text: String, places: [Place]) = ("", [])
  @ObservationIgnored private var wanted: Viewport?
  @ObservationIgnored private var task: Task<Void, Never>?
  @ObservationIgnored private var asked: Set<Coordinate> = []
  @ObservationIgnored private var search: Task<Void, Never>?
  /// Reads that have not ended.
  @ObservationIgnored private var readCount = 0

  /// Above this many coordinates their streets are forgotten.
  private static let limit = 500

  // MARK: - Lifecycle

  /// - Parameter tiles: nil never shows streets.
  public init(tiles: StreetTiles?) { self.tiles = tiles }

  // MARK: - Tiles

  /// Asks for the tiles under a view, unless they have been asked for already.
  func show(_ viewport: Viewport) {
    guard let tiles, viewport != wanted else { return }
    wanted = viewport
    guard viewport.zoom >= MapGround.lowestZoom || ground != .none else { return }
    task?.cancel()
    readCount += 1
    task = Task { [weak self] in
      let found = await tiles.ground(for: viewport)
      self?.readCount -= 1
      guard let self, let found, !Task.isCancelled, found != ground else { return }
      // An archive came: coordinates without a street are looked up again.
      if ground == .none { forgetStreets() }
      ground = found
    }
  }

  /// An archive was added: the view is drawn with it.
  func reload() {
    guard let viewport = wanted else { return }
    wanted = nil
    show(viewport)
  }

  // MARK: Names

  /// The street that a friend is in, as exactly as they share it. Nil for a coarse position, where
  /// none is known, and until it has been looked up.
  func street(of position: FriendPosition) -> Place? {
    position.namesStreet ? street(at: position.coordinate) : nil
  }

  /// The street at a coordinate that is exact; nil where none is known, and until it has been
  /// looked up.
  func street(at coordinate: Coordinate) -> Place? {
    if let known = streets[coordinate] { return known }
    guard let tiles, asked.insert(coordinate).inserted else { return nil }
    readCount += 1
    Task { [weak self] in
      let found = await tiles.street(at: coordinate)
      guard let self else { return }
      readCount -= 1
      if streets.count >= Self.limit { forgetStreets() }
      streets[coordinate] = .some(found)
    }
    return nil
  }

  private func forgetStreets() {
    if !streets.isEmpty { streets.removeAll() }
    asked.removeAll()
  }

  /// Parses what `PlaceFinder.resolve` does, and the names of streets.
  ///
  /// - Throws: `FieldProblem` that says what to type instead.
  func resolve(_ text: String) async throws(FieldProblem) -> Place {
    let finder = tiles.map { PlaceFinder.world(and: $0) } ?? .world
    return try await finder.resolveAnywhere(text)
  }

  /// The streets and places found for a text; empty until `find` has found them.
  func places(matching text: String) -> [Place] { matches.text == text ? matches.places : [] }

  /// Looks for streets and places of the archives.
  ///
  /// - Parameter coordinate: Where the search is made from.
  func find(_ text: String, near coordinate: Coordinate?) {
    search?.cancel()
    guard let tiles, text.count >= 2 else { return }
    search = Task { [weak self] in
      let places = await tiles.places(matching: text, near: coordinate)
      guard let self, !Task.isCancelled else { return }
      matches = (text, places)
    }
  }
}

private struct GroundStoreKey: EnvironmentKey {
  static let defaultValue = GroundStore(tiles: nil)
}

extension EnvironmentValues {
  /// The street tiles under the map.
  public var groundStore: GroundStore {
    get { self[GroundStoreKey.self] }
    set { self[GroundStoreKey.self] = newValue }
  }
}
