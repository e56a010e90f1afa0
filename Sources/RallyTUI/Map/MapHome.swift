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
