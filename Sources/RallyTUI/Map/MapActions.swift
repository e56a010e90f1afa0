import FoundationEssentials
import RallyDomain
import RallyMap
import RallyWire
import TerminalKit

/// The keys of the map; takes no room.
struct MapActions: View {
  let viewState: MapViewState
  /// The missions with pins.
  let missions: [Mission]

  @Environment(\.actions) private var actions
  @Environment(\.ageClock) private var ageClock
  @Environment(\.currentLocationProvider) private var currentLocationProvider
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.mapStore) private var mapStore
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.interface) private var interface
  @Environment(\.navigationService) private var navigationService
  @Environment(\.socialStore) private var socialStore
  @Environment(\.streetsActs) private var streetsActs
  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.isPlain) private var isPlain

  var body: some View {
    EmptyView()
      .actions(Self.all, in: self)
      .onAction(MissionActions.compose.id) { compose() }
      .onAction(
        PersonActions.locate.action, if: selectedMission == nil, disabled: nobodyToAsk
      ) { ask() }
      .onAction(
        MissionActions.onMyWay.action, if: selectedMission != nil, disabled: noWay
      ) { if let selectedMission { onMyWayActs.toggle(selectedMission) } }
      .onAction(MissionActions.frame.id, disabled: noFrame) { frame() }
      .onAction(.codes) { interface.overlay = .invitations }
      .onCopy(disabled: noPin) { selectedClipping }
      .onAction(.back, if: hasPin || mapStore.following != nil || mapStore.framing != nil) {
        stepBack()
      }
  }

  private var selected: FriendPosition? { mapStore.selectedID.flatMap(mapStore.position) }

  private var selectedMission: Mission? {
    mapStore.selectedMissionID.flatMap { id in missions.first { $0.id == id } }
  }

  private var hasPin: Bool { selected != nil || selectedMission != nil }

  private var nobody: String? {
    mapStore.positions.isEmpty && missions.isEmpty ? "Nobody shares a position with you yet." : nil
  }

  private var noPin: String? {
    hasPin ? nil : "\(actions.table.way(to: Self.nextPin.id)) selects a pin first."
  }

  private var nobodyToFollow: String? {
    selected == nil && mapStore.myPosition == nil && mapStore.following == nil
      ? "\(actions.table.way(to: Self.nextPin.id)) selects whom to follow." : nil
  }

  private var nobodyToAsk: String? {
    selected == nil ? "\(actions.table.way(to: Self.nextPin.id)) selects whom to ask." : nil
  }

  private func ask() {
    if let selected { socialStore.ask(selected.profile, sayingIn: interface) }
  }

  // MARK: On the way

  private var onMyWayActs: OnMyWayActs {
    OnMyWayActs(
      sharing: locationSharingStore, missions: missionsStore, provider: currentLocationProvider,
      interface: interface, me: missionsStore.userID, now: ageClock.now)
  }

  private var noWay: String? {
    guard let mission = selectedMission, !onMyWayActs.isOn(theWayTo: mission) else { return nil }
    return ActionAvailability(
      mission, MissionsViewModel(me: missionsStore.userID, now: ageClock.now)
    ).onMyWay
  }

  /// The mission that is framed, whose pin is selected, to which the selected friend comes, or the
  /// first to which anybody comes.
  private var missionToFrame: Mission? {
    let rows = missionsStore.coming
    func isComing(_ id: UUID?, to mission: Mission) -> Bool {
      mapStore.coming(rows, to: mission, at: ageClock.now).contains { id == nil || $0.id == id }
    }
    if let id = mapStore.framing?.missionID { return missions.first { $0.id == id } }
    return selectedMission
      ?? selected.flatMap { friend in missions.first { isComing(friend.id, to: $0) } }
      ?? missions.first { isComing(nil, to: $0) }
  }

  private var noFrame: String? {
    guard let mission = missionToFrame else {
      return "Nobody shows you that they are on the way to a mission."
    }
    return mapStore.frameObstacle(mission, missionsStore.coming, at: ageClock.now)
  }

  /// Frames a mission; again leaves it, or frames it anew after the map was moved.
  private func frame() {
    if mapStore.framing?.isHeld == true { return mapStore.leaveFrame() }
    if let mission = missionToFrame { mapStore.frame(mission.id) }
  }

  private var stop: String { actions.table.way(to: Self.follow.id) }

  // MARK: Moving

  /// Moves by a twelfth of the screen, so that the context stays visible.
  private func pan(_ columns: Int, _ rows: Int) {
    let viewport = viewState.picture.viewport
    mapStore.follow(nil)
    viewState.apply(
      viewport.panned(
        byColumns: Double(columns * max(2, viewport.columns / 12)),
        rows: Double(rows * max(1, viewport.rows / 12))),
      to: mapStore)
  }

  /// Zooms around the selected pin if it is in view, else around the centre.
  private func zoom(by steps: Double) {
    let viewport = viewState.picture.viewport
    let cell = selectedPlace.flatMap { viewport.cell(of: GeoPoint($0)) }
      .map { (column: Int($0.column), row: Int($0.row)) }
    let following = mapStore.following
    viewState.apply(viewport.zoomed(by: steps, around: following == nil ? cell : nil), to: mapStore)
  }

  private func showWorld() {
    mapStore.follow(nil)
    viewState.showWorld(mapStore)
  }

  /// Asks for the streets of the city in view.
  private func addStreets() { streetsActs?.begin(in: viewState.picture.viewport) }

  // MARK: Pins

  private func selectNeighbour(by step: Int) {
    mapStore.selectNeighbour(by: step, missions: missions.map(\.id))
    guard let place = selectedPlace, viewState.picture.viewport.cell(of: GeoPoint(place)) == nil
    else { return }
    mapStore.show(.place(place))
  }

  /// The position of the selected pin.
  private var selectedPlace: Coordinate? {
    switch mapStore.selection {
    case .friend(let id): mapStore.position(of: id)?.coordinate
    case .mission(let id): missions.first { $0.id == id }?.centre
    case nil: nil
    }
  }

  private var selectedClipping: Clipping? {
    switch mapStore.selection {
    case .friend(let id): mapStore.position(of: id).map(Clipping.init)
    case .mission(let id): missions.first { $0.id == id }.map(Clipping.init)
    case nil: nil
    }
  }

  private func compose() {
    interface.overlay = .compose(
      missionID: nil, place: viewState.picture.viewport.center.coordinate)
  }

  private func showDetails() {
    if let selected { interface.overlay = .position(selected.id) } else { openMission() }
  }

  /// Missions open on their own tab.
  private func openMission() {
    if let id = mapStore.selectedMissionID { navigationService.showMission(id) }
  }

  /// Zooms to the selected pin; on narrow screens shows its person instead.
  private func openPin() {
    guard let position = selected else { return openMission() }
    if isPlain {
      interface.overlay = .position(position.id)
    } else if terminalSize.width < PaneWidths.twoPanes {
      navigationService.push(.person(position.id))
    } else {
      mapStore.showFriend(position.id)
    }
  }

  private func toggleFollowing() {
    if mapStore.following != nil {
      mapStore.follow(nil)
      interface.say("The map follows nobody now.")
    } else if let selected {
      mapStore.follow(.friend(selected.id))
      interface.say("The map follows \(selected.profile.handle). \(stop) stops.")
    } else if mapStore.myPosition != nil {
      mapStore.follow(.me)
      interface.say("The map follows you. \(stop) stops.")
    }
  }

  /// Goes to where I am; asks for it where it is not known.
  private func centreOnMe() {
    guard let me = mapStore.myPosition else {
      locationSharingStore.locateMe()
      return interface.openCommandLine(with: "\(CommandInput.Verb.here.rawValue) ")
    }
    mapStore.show(.place(me.coordinate), scale: .city)
  }

  /// Esc leaves a framed mission and stops following first, then clears the selection.
  private func stepBack() {
    if navigationService.pop() || interface.dismissToast() { return }
    if mapStore.framing != nil { return mapStore.leaveFrame() }
    if mapStore.following != nil { mapStore.follow(nil) } else { mapStore.select(pin: nil) }
  }
}

extension MapActions {
  static let west = FeatureAction<Self>(
    id: "map.west", summary: "Move the map to the west.", keys: ["h", "Left"], section: "Map",
    footer: FooterPlace(rank: 130, label: "pan", partners: [south.id, north.id, east.id]),
    shown: { !$0.isPlain }, run: { $0.pan(-1, 0) })
  static let south = FeatureAction<Self>(
    id: "map.south", summary: "Move the map to the south.", keys: ["j", "Down"], section: "Map",
    shown: { !$0.isPlain }, run: { $0.pan(0, 1) })
  static let north = FeatureAction<Self>(
    id: "map.north", summary: "Move the map to the north.", keys: ["k", "Up"], section: "Map",
    shown: { !$0.isPlain }, run: { $0.pan(0, -1) })
  static let east = FeatureAction<Self>(
    id: "map.east", summary: "Move the map to the east.", keys: ["l", "Right"], section: "Map",
    shown: { !$0.isPlain }, run: { $0.pan(1, 0) })
  static let zoomIn = FeatureAction<Self>(
    id: "map.zoom-in", summary: "Zoom in, on the selected pin if it is in view.",
    keys: ["+", "="], section: "Map",
    footer: FooterPlace(rank: 140, label: "zoom", partners: [zoomOut.id]), shown: { !$0.isPlain },
    run: { $0.zoom(by: 0.5) })
  static let zoomOut = FeatureAction<Self>(
    id: "map.zoom-out", summary: "Zoom out.", keys: ["-"], section: "Map",
    shown: { !$0.isPlain }, run: { $0.zoom(by: -0.5) })
  static let nextPin = FeatureAction<Self>(
    id: "map.next-pin",
    summary: "Select the next pin on the map: friends by distance, then missions.", keys: ["Tab"],
    section: "Map", footer: 125, disabled: { $0.nobody }, run: { $0.selectNeighbour(by: 1) })
  static let open = FeatureAction<Self>(
    id: "map.open", name: "go-to-pin", title: "go there",
    summary: "Come near to the selected friend, or open the selected mission.", keys: ["Enter"],
    section: "Map", footer: 120, disabled: { $0.noPin }, run: { $0.openPin() })
  static let details = FeatureAction<Self>(
    id: "map.details", summary: "Show all that is known of the selected pin.", keys: ["z"],
    section: "Map", disabled: { $0.noPin }, run: { $0.showDetails() })
  static let follow = FeatureAction<Self>(
    id: "map.follow",
    summary: "Keep the selected friend, or yourself, in the middle; again stops it.", keys: ["f"],
    section: "Map", footer: 160, disabled: { $0.nobodyToFollow }, run: { $0.toggleFollowing() })

  static let centre = FeatureAction<Self>(
    id: "map.centre", title: "me",
    summary: "Go to where you are; asks where that is if nobody knows.",
    keys: ["."], section: "Map", run: { $0.centreOnMe() })
  static let sources = FeatureAction<Self>(
    id: "map.sources", title: "sources",
    summary: "Show where your position comes from, and why that source is used.", keys: ["w"],
    section: "Map", run: { $0.interface.overlay = .sources })

  static let streets = FeatureAction<Self>(
    id: "map.streets", name: "add-streets", title: "add streets",
    summary: "Add the streets of the city that the map shows; asks first.", keys: ["a"],
    section: "Map", shown: { !$0.isPlain }, disabled: { $0.streetsActs?.obstacle },
    run: { $0.addStreets() })

  /// What moves the map by a step.
  static let panning = [west, south, north, east]

  static let all: [FeatureAction<Self>] = [
    west, south, north, east, zoomIn, zoomOut,
    FeatureAction(
      id: "map.world", summary: "Show the whole world.", keys: ["0"], section: "Map",
      shown: { !$0.isPlain }, run: { $0.showWorld() }),
    nextPin,
    FeatureAction(
      id: "map.previous-pin", summary: "Select the pin before.", keys: ["S-Tab"], section: "Map",
      disabled: { $0.nobody }, run: { $0.selectNeighbour(by: -1) }),
    open, details, follow,
    centre,
    FeatureAction(
      id: "map.go-to", summary: "Go to a friend or a place by name.", keys: ["/"], section: "Map",
      footer: 170, run: { $0.interface.overlay = .goTo }),
    FeatureAction(
      id: "map.night", summary: "Show or hide day and night.", keys: ["d"], section: "Map",
      run: { $0.viewState.isNightShown.toggle() }),
    sources, streets,
  ]
}
