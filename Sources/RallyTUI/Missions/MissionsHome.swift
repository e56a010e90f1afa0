import Foundation
import RallyDomain
import RallyWire
import TerminalKit

/// The Missions tab: its lists, the selected mission beside them.
struct MissionsHome: View {
  @Environment(\.ageClock) private var ageClock
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.socialStore) private var socialStore
  @Environment(\.mapStore) private var mapStore
  @Environment(\.linkService) private var linkService
  @Environment(\.navigationService) private var navigationService
  @State private var look = MissionsViewState()

  var body: some View {
    let scene = scene
    let openedID = openedID
    VStack(spacing: 0) {
      MissionSections(scene: scene) { show($0) }
      if look.isFiltering || !look.filter.isEmpty {
        HStack(spacing: 0) {
          Text(" / ", .accent).frame(width: 3)
          TextField(
            text: Binding(look, \.filter), placeholder: "part of a title",
            isFocused: look.isFiltering
          ) { look.isFiltering = false }
        }
        .frame(height: 1)
      }
      MissionPanes(
        scene: scene, feeds: missionsStore.feeds, selection: look.selection(in: scene.section),
        openedID: openedID, rowSelection: Binding(look, \.row), speech: look.speech,
        find: { missionsStore.mission($0) },
        onEnd: { id in Task { await missionsStore.loadOlder(id) } })
      MissionActions(scene: scene, look: look, openedID: openedID)
      ShownFeed(look: look, section: scene.section, openedID: openedID)
    }
    .onAction(.sectionNext) { move(by: 1) }
    .onAction(.sectionPrevious) { move(by: -1) }
    .onAction(.filter) { look.isFiltering = true }
    .onAction(.back, if: look.isFiltering || !look.filter.isEmpty) {
      look.isFiltering = false
      look.filter = ""
    }
    .aging(if: !scene.missions.isEmpty || !scene.pending.isEmpty)
    .onChange(of: openedID) { _, id in follow(id, in: scene) }
    .task { follow(openedID, in: scene) }
  }

  private var openedID: UUID? {
    if case .mission(let id) = navigationService.route { id } else { nil }
  }

  private var scene: MissionsViewModel {
    MissionsViewModel(
      section: navigationService.missionsSection, active: missionsStore.active,
      nearby: missionsStore.nearby, done: missionsStore.done,
      nearbyState: missionsStore.nearbyState, loadState: missionsStore.loadState,
      asOf: missionsStore.asOf, isOffline: linkService.state.isOffline,
      settlingIDs: missionsStore.settlingIDs, pending: missionsStore.pendingCheckIns,
      me: missionsStore.userID ?? socialStore.profile?.id,
      onlineIDs: Set(socialStore.friends.filter(\.isOnline).map(\.id)),
      position: mapStore.myPosition?.coordinate, isLive: missionsStore.isRealtimeLive,
      filter: look.filter, now: ageClock.now)
  }

  private func move(by step: Int) {
    let next = MissionsSection.allCases.element(
      after: navigationService.missionsSection, step: step)
    if let next { show(next) }
  }

  private func show(_ section: MissionsSection) {
    navigationService.popToRoot()
    navigationService.missionsSection = section
  }

  /// The list goes along with a mission that was opened from elsewhere.
  private func follow(_ id: UUID?, in scene: MissionsViewModel) {
    guard let id, let section = scene.section(of: id) else { return }
    look.filter = ""
    if navigationService.missionsSection != section { navigationService.missionsSection = section }
    if look.selections[section] != id { look.selections[section] = id }
  }
}

/// The names of the lists with their counts, and how old they are.
struct MissionSections: View {
  let scene: MissionsViewModel
  var onSelect: @MainActor (MissionsSection) -> Void = { _ in }

  @Environment(\.actions) private var actions

  var body: some View {
    HStack(spacing: 0) {
      ListNames(
        titles: MissionsSection.allCases.map { title(of: $0) },
        chosen: MissionsSection.allCases.firstIndex(of: scene.section)
      ) { onSelect(MissionsSection.allCases[$0]) }
      Spacer()
      Text(note, scene.isDated ? .warning : .dim)
    }
    .frame(height: 1)
  }

  private func title(of section: MissionsSection) -> String {
    section.title + (scene.asOf == nil ? "" : " \(scene.missions(of: section).count)")
  }

  private var note: String {
    if scene.isDated, let asOf = scene.asOf { return "as of \(LocalTime.clock(asOf)) " }
    if scene.section == .nearby, case .within(let metres) = scene.nearbyState {
      return
        "\(MissionWords.within(metres))  \(actions.table.way(to: MissionActions.wider.id)) wider "
    }
    return ""
  }
}

/// Fetches what happened in the mission that is looked at, once the selection rests on it; takes
/// no room.
private struct ShownFeed: View {
  let look: MissionsViewState
  let section: MissionsSection
  let openedID: UUID?

  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.isPlain) private var isPlain

  var body: some View {
    let isWide = !isPlain && terminalSize.width >= PeoplePanes.twoPaneWidth
    let shown = openedID ?? (isWide ? look.selections[section] : nil)
    let mission = shown.flatMap { missionsStore.mission($0) }
    // One that no list has is fetched with it; of one that others are in nothing is told.
    let isToBeOpened = mission == nil || mission?.myState == .joined
    EmptyView().task(id: isToBeOpened ? shown : nil) {
      guard isToBeOpened, let shown else { return }
      // Keys that run through the list ask for nothing.
      guard (try? await DispatchSleep.for(.milliseconds(openedID == nil ? 150 : 0))) != nil else {
        return
      }
      await missionsStore.openFeed(shown)
    }
  }
}
