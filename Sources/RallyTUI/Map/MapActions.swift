import Foundation
import RallyDomain
import RallyMap
import RallyWire
import TerminalKit

/// The keys of the map; takes no room.
struct MapActions: View {
  let look: MapViewState
  /// Those that have pins.
  let missions: [Mission]

  @Environment(\.actions) private var actions
  @Environment(\.mapStore) private var mapStore
  @Environment(\.interface) private var interface
  @Environment(\.navigationService) private var navigationService
  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.isPlain) private var isPlain

  var body: some View {
    let selected = mapStore.selectedID.flatMap(mapStore.position)
    let mission = mapStore.selectedMissionID.flatMap { id in missions.first { $0.id == id } }
    let hasPin = selected != nil || mission != nil
    let isFollowing = mapStore.following != nil
    EmptyView()
      .onActions(isPlain ? [] : movement)
      .onActions([
        ActionHandler(.mapPinNext, disabled: nobody) { selectNeighbour(by: 1) },
        ActionHandler(.mapPinPrevious, disabled: nobody) { selectNeighbour(by: -1) },
        ActionHandler(.mapOpen, disabled: hasPin ? nil : selectFirst) {
          if let selected { open(selected) } else { openMission() }
        },
        ActionHandler(.mapDetails, disabled: hasPin ? nil : selectFirst) {
          if let selected { interface.overlay = .position(selected.id) } else { openMission() }
        },
        ActionHandler(.missionsCompose) {
          interface.overlay = .compose(
            missionID: nil, place: look.picture.viewport.center.coordinate)
        },
        ActionHandler(
          .mapFollow,
          disabled: selected == nil && mapStore.myPosition == nil && !isFollowing
            ? "\(actions.table.way(to: .mapPinNext)) selects whom to follow." : nil
        ) { follow(selected) },
        ActionHandler(
          .mapCentre,
          disabled: mapStore.myPosition == nil ? "Say where you are first: :here Lisbon" : nil
        ) { centreOnMe() },
        ActionHandler(.mapNight) { look.isNightShown.toggle() },
        ActionHandler(.mapGoTo) { interface.overlay = .goTo },
      ])
      .onCopy(disabled: hasPin ? nil : selectFirst) { selectedClipping }
      .onAction(.back, if: hasPin || isFollowing) { stepBack() }
  }

  private var nobody: String? {
    mapStore.positions.isEmpty && missions.isEmpty ? "Nobody shares a position with you yet." : nil
  }

  private var selectFirst: String {
    "\(actions.table.way(to: .mapPinNext)) selects a pin first."
  }

  private var stop: String { actions.table.way(to: .mapFollow) }

  // MARK: Moving

  private var movement: [ActionHandler] {
    [
      ActionHandler(.mapWest) { pan(-1, 0) }, ActionHandler(.mapEast) { pan(1, 0) },
      ActionHandler(.mapNorth) { pan(0, -1) }, ActionHandler(.mapSouth) { pan(0, 1) },
      ActionHandler(.mapZoomIn) { zoom(by: 0.5) }, ActionHandler(.mapZoomOut) { zoom(by: -0.5) },
      ActionHandler(.mapWorld) {
        mapStore.follow(nil)
        look.showWorld(mapStore)
      },
    ]
  }

  /// A twelfth of the screen, so that what one looks at stays in sight.
  private func pan(_ columns: Int, _ rows: Int) {
    let viewport = look.picture.viewport
    mapStore.follow(nil)
    look.apply(
      viewport.panned(
        byColumns: Double(columns * max(2, viewport.columns / 12)),
        rows: Double(rows * max(1, viewport.rows / 12))),
      to: mapStore)
  }

  /// Around the selected pin where it is in view, else around the middle.
  private func zoom(by steps: Double) {
    let viewport = look.picture.viewport
    let cell = selectedPlace.flatMap { viewport.cell(of: GeoPoint($0)) }
      .map { (column: Int($0.column), row: Int($0.row)) }
    let following = mapStore.following
    look.apply(viewport.zoomed(by: steps, around: following == nil ? cell : nil), to: mapStore)
  }

  // MARK: Pins

  private func selectNeighbour(by step: Int) {
    mapStore.selectNeighbour(by: step, missions: missions.map(\.id))
    guard let place = selectedPlace, look.picture.viewport.cell(of: GeoPoint(place)) == nil
    else { return }
    mapStore.show(.place(place))
  }

  /// Where the selected pin stands.
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

  /// A mission is seen where all of it has room.
  private func openMission() {
    if let id = mapStore.selectedMissionID { navigationService.showMission(id) }
  }

  /// Comes nearer to the selected pin; where the list has no room, its person is shown.
  private func open(_ position: FriendPosition) {
    if isPlain {
      interface.overlay = .position(position.id)
    } else if terminalSize.width < MapHome.twoPaneWidth {
      navigationService.push(.person(position.id))
    } else {
      mapStore.showFriend(position.id)
    }
  }

  private func follow(_ selected: FriendPosition?) {
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

  private func centreOnMe() {
    guard let me = mapStore.myPosition else { return }
    mapStore.show(.place(me.coordinate), scale: .city)
  }

  /// Esc lets go: of following first, then of the selection.
  private func stepBack() {
    if navigationService.pop() || interface.dismissToast() { return }
    if mapStore.following != nil { mapStore.follow(nil) } else { mapStore.select(pin: nil) }
  }
}
