import FoundationEssentials
import RallyClient
import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// The Missions tab: its lists, the selected mission beside them.
struct MissionsHome: View {
  @Environment(\.ageClock) private var ageClock
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.socialStore) private var socialStore
  @Environment(\.mapStore) private var mapStore
  @Environment(\.linkService) private var linkService
  @Environment(\.navigationService) private var navigationService
  @Environment(\.showsMotion) private var showsMotion
  @State private var viewState = MissionsViewState()

  var body: some View {
    let viewModel = viewModel
    let openedID = openedID
    VStack(spacing: 0) {
      MissionSections(viewModel: viewModel) { show($0) }
      if viewState.isFiltering || !viewState.filter.isEmpty {
        HStack(spacing: 0) {
          Text(" / ", .accent).frame(width: 3)
          TextField(
            text: Binding(viewState, \.filter), placeholder: "part of a title",
            isFocused: viewState.isFiltering
          ) { viewState.isFiltering = false }
        }
        .frame(height: 1)
      }
      MissionPanes(
        viewModel: viewModel, feeds: missionsStore.feeds,
        selection: viewState.selection(in: viewModel.section),
        openedID: openedID, rowSelection: Binding(viewState, \.row),
        messageDraft: viewState.messageDraft,
        find: { missionsStore.mission($0) },
        talkMark: { id in
          viewState.talkMark(
            of: id, isOpened: openedID == id, seenUpTo: missionsStore.seenUpTo(id),
            now: .now)
        },
        onSee: { missionsStore.see($0, upTo: $1) },
        onEnd: { id in Task { await missionsStore.loadOlder(id) } })
      MissionActions(viewModel: viewModel, viewState: viewState, openedID: openedID)
      ShownFeed(viewState: viewState, section: viewModel.section, openedID: openedID)
    }
    .onAction(.sectionNext) { move(by: 1) }
    .onAction(.sectionPrevious) { move(by: -1) }
    .onAction(
      .filter,
      disabled: viewModel.missions.isEmpty && viewState.filter.isEmpty
        ? "There is nothing to filter." : nil
    ) { viewState.isFiltering = true }
    .onAction(.back, if: viewState.isFiltering || !viewState.filter.isEmpty) {
      viewState.isFiltering = false
      viewState.filter = ""
    }
    .aging(if: !viewModel.missions.isEmpty || !viewModel.pending.isEmpty)
    .onChange(of: openedID) { _, id in
      if id == nil { viewState.closeTalk() }
      follow(id, in: viewModel)
    }
    .task {
      viewState.selections.merge(navigationService.selectedMissions) { old, _ in old }
      follow(openedID, in: viewModel)
    }
    .onChange(of: viewState.selections) { _, ids in navigationService.selectedMissions = ids }
    // The newest lines of all missions show what is unread in which of them.
    .task { await missionsStore.openFeed(nil) }
  }

  private var openedID: UUID? {
    if case .mission(let id) = navigationService.route { id } else { nil }
  }

  private var viewModel: MissionsViewModel {
    MissionsViewModel(
      section: navigationService.missionsSection, active: missionsStore.active,
      nearby: missionsStore.nearby, done: missionsStore.done,
      nearbyState: missionsStore.nearbyState, loadState: missionsStore.loadState,
      asOf: missionsStore.asOf, isOffline: linkService.state.isOffline,
      inFlightIDs: missionsStore.inFlightIDs, pending: missionsStore.pendingCheckIns,
      me: missionsStore.userID ?? socialStore.profile?.id,
      onlineIDs: Set(socialStore.friends.filter(\.isOnline).map(\.id)),
      unread: missionsStore.unreadCounts,
      position: mapStore.myPosition?.coordinate, isLive: missionsStore.isRealtimeLive,
      hasMotion: showsMotion,
      filter: viewState.filter, now: ageClock.now)
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
  private func follow(_ id: UUID?, in viewModel: MissionsViewModel) {
    guard let id, let section = viewModel.section(of: id) else { return }
    viewState.filter = ""
    if navigationService.missionsSection != section { navigationService.missionsSection = section }
    if viewState.selections[section] != id { viewState.selections[section] = id }
  }
}

/// The names of the lists with their counts, and how old they are.
struct MissionSections: View {
  let viewModel: MissionsViewModel
  var onSelect: @MainActor (MissionsSection) -> Void = { _ in }

  @Environment(\.actions) private var actions

  var body: some View {
    HStack(spacing: 0) {
      ListNames(
        titles: MissionsSection.allCases.map { title(of: $0) },
        chosen: MissionsSection.allCases.firstIndex(of: viewModel.section)
      ) { onSelect(MissionsSection.allCases[$0]) }
      .layoutPriority(2)
      Spacer()
      FittingText(notes, viewModel.isDated ? .warning : .dim).layoutPriority(1)
    }
    .frame(height: 1)
    .showsHints(of: distance == nil ? [] : [MissionActions.wider.id])
  }

  private func title(of section: MissionsSection) -> String {
    section.title + (viewModel.asOf == nil ? "" : " \(viewModel.missions(of: section).count)")
  }

  /// The names of the lists come before it.
  private var notes: [String] {
    if viewModel.isDated, let asOf = viewModel.asOf {
      let clock = LocalTime.clock(asOf)
      return ["as of \(clock) ", "\(clock) "]
    }
    let wider = "\(actions.table.way(to: MissionActions.wider.id)) wider "
    return distance.map { ["\($0)  \(wider)", wider] } ?? []
  }

  /// How far the missions nearby reach; an empty list says it itself.
  private var distance: String? {
    guard viewModel.section == .nearby, !viewModel.isDated, !viewModel.missions.isEmpty,
      case .within(let metres) = viewModel.nearbyState
    else { return nil }
    return MissionFormatter.within(metres)
  }
}

/// Fetches what happened in the mission that is looked at, once the selection rests on it; takes
/// no room.
private struct ShownFeed: View {
  let viewState: MissionsViewState
  let section: MissionsSection
  let openedID: UUID?

  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.isPlain) private var isPlain

  var body: some View {
    let isWide = PaneWidths.areTwo(in: terminalSize.width, isPlain: isPlain)
    let shown = openedID ?? (isWide ? viewState.selections[section] : nil)
    let mission = shown.flatMap { missionsStore.mission($0) }
    // A mission in no list is fetched with its feed; non-members get no feed.
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
