import FoundationEssentials
import Observation
import RallyDomain
import RallyMap
import RallyWire
import RallyWords
import TerminalKit

/// The Map tab: the world with one's people on it, and the list of them beside it.
struct MapHome: View {
  @Environment(\.actions) private var actions
  @Environment(\.ageClock) private var ageClock
  @Environment(\.groundStore) private var groundStore
  @Environment(\.mapStore) private var mapStore
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.privacyRulesService) private var privacyRulesService
  @Environment(\.terminal) private var terminal
  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.navigationService) private var navigationService
  @Environment(\.paintsAreas) private var paintsAreas
  @Environment(\.paneLayoutService) private var paneLayoutService
  @Environment(\.showsMotion) private var showsMotion
  @Environment(\.streetsActs) private var streetsActs
  @Environment(\.streetsStore) private var streetsStore
  @Environment(\.isPlain) private var isPlain
  @Environment(\.mapGlyphs) private var mapGlyphs
  @State private var viewState = MapViewState()

  var body: some View {
    let now = ageClock.now
    let positions = mapStore.positionsByDistance(at: now)
    let missions = missionsStore.missionsOnMap(at: now)
    let framed = FramedMission(mapStore, missionsStore, of: missions, at: now)
    VStack(spacing: 0) {
      panes(positions, missions, framed, now)
      MapActions(viewState: viewState, missions: missions)
    }
    .aging(if: !positions.isEmpty || !missions.isEmpty)
    .onChange(of: mapStore.framing != nil && framed == nil) { _, isOver in
      // The mission has ended, or is mine no more.
      if isOver, missionsStore.asOf != nil { mapStore.leaveFrame() }
    }
    .onChange(of: mapStore.focus) { viewState.carryOut($1, in: mapStore) }
    .task { viewState.carryOut(mapStore.focus, in: mapStore) }
  }

  @ViewBuilder private func panes(
    _ positions: [FriendPosition], _ missions: [Mission], _ framed: FramedMission?,
    _ now: WireTime
  ) -> some View {
    if isPlain, let framed {
      ComingPane(framed: framed, width: terminalSize.width, now: now, isAlone: true)
    } else if isPlain {
      MapSideList(
        positions: positions, missions: missions, width: terminalSize.width, now: now,
        isAlone: true)
    } else if let side = paneLayoutService.width(of: .map, in: terminalSize.width) {
      SplitPanes(
        sideWidth: side,
        onDrag: { paneLayoutService.widen(.map, by: $0, in: terminalSize.width) }
      ) {
        map(positions, missions, framed, now).frame(maxWidth: .max, maxHeight: .max)
      } side: {
        sideList(positions, missions, framed, width: side, now)
          .frame(width: side)
          .frame(maxHeight: .max, alignment: .topLeading)
      }
    } else if case .person(let id) = navigationService.route,
      let position = mapStore.position(of: id)
    {
      PositionDetail(position: position, now: now)
        .frame(maxWidth: .max)
        .scrollsIfTooHigh()
        .frame(maxHeight: .max, alignment: .topLeading)
    } else {
      map(positions, missions, framed, now).frame(maxHeight: .max)
      FirstStepLine(width: terminalSize.width)
      if let framed {
        ComingLines(framed: framed, width: terminalSize.width, now: now)
          .frame(height: min(framed.coming.count, max(1, terminalSize.height / 3)))
          .layoutPriority(1)
      }
    }
  }

  @ViewBuilder private func sideList(
    _ positions: [FriendPosition], _ missions: [Mission], _ framed: FramedMission?, width: Int,
    _ now: WireTime
  ) -> some View {
    if let framed {
      ComingPane(framed: framed, width: width, now: now)
    } else {
      MapSideList(
        positions: positions,
        missions: viewport(in: terminalSize.width - width - 1).inView(missions), width: width,
        now: now)
    }
  }

  /// What the map shows in this many columns: between the two lines at the top and the three at
  /// the bottom of the screen.
  private func viewport(in columns: Int) -> Viewport {
    MapPicture.viewport(
      zoom: mapStore.zoom, centre: mapStore.centre.map(GeoPoint.init),
      size: Size(width: columns, height: max(1, terminalSize.height - 5)))
  }

  private func map(
    _ positions: [FriendPosition], _ missions: [Mission], _ framed: FramedMission?,
    _ now: WireTime
  ) -> some View {
    MapCanvas(
      scene: scene(positions, missions, framed, now), picture: viewState.picture,
      hasMotion: showsMotion, missingStreets: missingStreets
    ) { pin in
      select(pin)
    } onMove: { viewport in
      mapStore.follow(nil)
      viewState.apply(viewport, to: mapStore)
    } onOpen: { pin in
      select(pin)
      actions.perform(MapActions.open.id)
    } onDraw: { viewport in
      groundStore.show(viewport)
    }
  }

  /// How far a download is, or the key that brings streets where somebody may add them.
  private var missingStreets: [String] {
    let without = "no streets here"
    if case .fetching(let progress) = streetsStore.phase {
      return ["streets of \(progress.streets.title): \(progress.percent)", progress.percent]
    }
    guard streetsActs?.obstacle == nil else { return [without] }
    return ["\(without): \(actions.table.way(to: MapActions.streets.id)) adds them", without]
  }

  private func scene(
    _ positions: [FriendPosition], _ missions: [Mission], _ framed: FramedMission?,
    _ now: WireTime
  ) -> MapScene {
    let selectedID = mapStore.selectedID
    let strangers = framed?.strangers(besides: positions, missionsStore.userID) ?? []
    return MapScene(
      zoom: mapStore.zoom, centre: mapStore.centre.map(GeoPoint.init),
      fitted: mapStore.framing?.isHeld == true ? framed?.points ?? [] : [],
      markers: MapMarkers.markers(
        positions + strangers, me: mapStore.myPosition, trails: mapStore.trails,
        selectedID: selectedID,
        glyphs: mapGlyphs, hasInitials: paintsAreas, at: now)
        + MapMarkers.markers(
          ofMissions: missions, selectedID: mapStore.selectedMissionID, glyphs: mapGlyphs)
        + MapMarkers.markers(ofZones: privacyRulesService.kept.zones, glyphs: mapGlyphs),
      selectedID: mapStore.selection.map { MapMarkers.id(of: $0) },
      ground: groundStore.ground,
      options: MapOptions(
        glyphs: mapGlyphs, fillStyle: paintsAreas ? .background : .stipple,
        night: viewState.isNightShown ? ageClock.minute.date : nil,
        showsLights: terminal.hasLights,
        distanceOrigin: mapStore.myPosition.map { GeoPoint($0.coordinate) }))
  }

  private func select(_ pin: PlacedPin) {
    let pins = pin.ids.compactMap { MapMarkers.selection(of: $0) }
    mapStore.select(pin: pins.first)
    guard pin.isCluster else { return }
    // A click on a cluster takes it apart.
    mapStore.show(
      .all(
        pins.compactMap { pin in
          switch pin {
          case .friend(let id): mapStore.position(of: id)?.coordinate
          case .mission(let id): missionsStore.mission(id)?.centre
          }
        }))
  }
}

/// How this person looks at the map: what is neither the server's nor of any use to another tab.
@Observable
final class MapViewState {
  /// Whether the night side is dimmed.
  var isNightShown = true
  /// The focus that was carried out last.
  @ObservationIgnored var shownFocus = 0
  @ObservationIgnored let picture = MapPicture()

  /// The view after a move by hand.
  func apply(_ viewport: Viewport, to store: MapStore) {
    picture.move(to: viewport)
    store.letGoOfFrame()
    store.centre = viewport.center.coordinate
    store.zoom = viewport.isWholeWorld ? nil : viewport.zoom
  }

  /// The whole world, wherever one was.
  func showWorld(_ store: MapStore) {
    picture.move(
      to: .wholeWorld(columns: picture.viewport.columns, rows: picture.viewport.rows))
    store.letGoOfFrame()
    store.centre = nil
    store.zoom = nil
  }

  /// Carries out what the map was asked to show, once.
  func carryOut(_ focus: MapFocus?, in store: MapStore) {
    guard let focus, focus.revision > shownFocus else { return }
    shownFocus = focus.revision
    if let framing = store.framing, focus.revision <= framing.focusRevision { return }
    let viewport = picture.viewport
    switch focus.target {
    case .world: showWorld(store)
    case .place(let coordinate):
      let zoom = focus.scale.zoom.map { max($0, viewport.zoom) } ?? viewport.zoom
      apply(viewport.showing(GeoPoint(coordinate), zoom: zoom), to: store)
    case .all(let coordinates):
      apply(viewport.fitting(coordinates.map(GeoPoint.init)), to: store)
    }
  }
}

extension MapFocus.Scale {
  /// Doublings of a world of 256 dots; nil keeps what is.
  var zoom: Double? {
    switch self {
    case .same: nil
    case .country: 4
    case .city: 8
    case .street: 11
    }
  }
}

extension MapMarkers {
  private static let missionPrefix = "mission "

  static func id(of selection: MapSelection) -> String {
    switch selection {
    case .friend(let id): self.id(of: id)
    case .mission(let id): missionPrefix + id.wireText
    }
  }

  /// Whose marker this is; nil for my own.
  static func selection(of id: String) -> MapSelection? {
    guard id.hasPrefix(missionPrefix) else { return friendID(of: id).map(MapSelection.friend) }
    return UUID(wireText: String(id.dropFirst(missionPrefix.count))).map(MapSelection.mission)
  }

  /// Missions as pins with their radius around them; people stand before them.
  ///
  /// - Parameter selectedID: Whose pin is drawn over all others and keeps its name.
  static func markers(
    ofMissions missions: [Mission], selectedID: UUID? = nil, glyphs: GlyphSet = .braille
  ) -> [MapMarker] {
    missions.map { mission in
      let isSelected = mission.id == selectedID
      let isMine = mission.myState == .joined
      let progress = mission.record.progress
      return MapMarker(
        id: id(of: .mission(mission.id)), point: GeoPoint(mission.centre),
        glyph: glyphs == .ascii ? "#" : isMine ? "◆" : "◇",
        label: mission.title.truncated(toCells: 20), rank: isSelected ? 90 : isMine ? 6 : 5,
        tag: MapTag.mission.rawValue, accuracyMetres: mission.radiusMetres,
        progress: progress.of > 0 ? Double(progress.done) / Double(progress.of) : nil,
        isClusterable: !isSelected, hasArrow: isMine)
    }
  }
}

extension MissionsStore {
  /// The missions that the map shows: those that are still open, mine first, each once.
  func missionsOnMap(at now: WireTime) -> [Mission] {
    var known: Set<UUID> = []
    return (active + nearby).filter {
      $0.phase(at: now).isOpen && known.insert($0.id).inserted
    }
  }
}

extension Viewport {
  /// Those whose place lies in this view.
  func inView(_ missions: [Mission]) -> [Mission] {
    missions.filter { cell(of: GeoPoint($0.centre)) != nil }
  }
}
