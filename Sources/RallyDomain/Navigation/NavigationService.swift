import FoundationEssentials
import Observation
import RallyEnvironment
import RallySystem

/// Where in the program the person is: tab, section, and what was opened on top.
@MainActor
@Observable
public final class NavigationService {
  public private(set) var selectedTab: RallyTab
  /// Which list the Friends tab shows.
  public var friendsSection: FriendsSection = .all
  /// Which list the Missions tab shows.
  public var missionsSection: MissionsSection = .active
  /// Whom the Friends tab is to select; it sets this to nil when it has.
  public var personToSelect: UUID?
  /// Who is selected in the Friends tab, as it says; nobody draws it.
  @ObservationIgnored public var selectedPerson: UUID?
  /// What is selected in each list of the Missions tab, as it says; nobody draws it.
  @ObservationIgnored public var selectedMissions: [MissionsSection: UUID] = [:]
  private var paths: [RallyTab: [Route]] = [:]

  public init(selectedTab: RallyTab = .map) { self.selectedTab = selectedTab }

  /// What is open on the selected tab, the newest last.
  public var path: [Route] { paths[selectedTab] ?? [] }

  /// What is on top of the selected tab; nil when the tab itself is.
  public var route: Route? { path.last }

  /// Shows a tab as it was left.
  public func select(_ tab: RallyTab) { selectedTab = tab }

  /// The tab to the right (+1) or left (−1), around the end.
  public func selectNeighbour(by step: Int) {
    selectedTab = RallyTab.allCases.element(after: selectedTab, step: step) ?? selectedTab
  }

  /// Opens something on top of the selected tab; opening what is on top already does nothing.
  public func push(_ route: Route) {
    guard route != self.route else { return }
    paths[selectedTab, default: []].append(route)
  }

  /// Goes to the Missions tab with this mission opened.
  public func showMission(_ id: UUID) {
    selectedTab = .missions
    popToRoot()
    push(.mission(id))
  }

  /// Goes to the Friends tab with this person selected in the list of all.
  public func showPerson(_ id: UUID) {
    selectedTab = .friends
    popToRoot()
    friendsSection = .all
    personToSelect = id
  }

  /// Closes what is on top; false when there was nothing to close.
  @discardableResult
  public func pop() -> Bool {
    guard paths[selectedTab]?.popLast() != nil else { return false }
    return true
  }

  /// Closes everything on the selected tab.
  public func popToRoot() { paths[selectedTab] = nil }

  /// Tab, sections, what is selected and what is open, as they are now.
  public var screen: Screen {
    Screen(
      tab: selectedTab, friends: friendsSection, missions: missionsSection,
      opened: RallyTab.allCases.map { paths[$0] ?? [] }, person: selectedPerson,
      selectedMissions: selectedMissions)
  }

  /// Shows a screen as it was left.
  public func show(_ screen: Screen) {
    (selectedTab, friendsSection, missionsSection) = (screen.tab, screen.friends, screen.missions)
    paths = Dictionary(uniqueKeysWithValues: zip(RallyTab.allCases, screen.opened))
    personToSelect = screen.person
    selectedMissions = screen.selectedMissions
  }

  /// Back to how a new session starts.
  public func reset() {
    paths = [:]
    friendsSection = .all
    missionsSection = .active
    personToSelect = nil
    selectedPerson = nil
    selectedMissions = [:]
    selectedTab = .map
  }
}

extension NavigationService {
  /// Where the person is, as a value.
  public struct Screen: Hashable, Sendable, Codable {
    var tab: RallyTab
    var friends: FriendsSection
    var missions: MissionsSection
    /// What is open on each tab, in the order of the tabs.
    var opened: [[Route]]
    var person: UUID?
    var selectedMissions: [MissionsSection: UUID]
  }
}

/// The tabs, in the order of their keys `1`, `2`, `3`.
public enum RallyTab: Int, Hashable, Sendable, CaseIterable, Codable {
  case map = 1, missions, friends

  public var title: String {
    switch self {
    case .map: "Map"
    case .missions: "Missions"
    case .friends: "Friends"
    }
  }
}

/// The lists of the Friends tab, in the order shown.
public enum FriendsSection: String, Hashable, Sendable, CaseIterable, Codable {
  case all, incoming, outgoing, blocked, find

  public var title: String {
    switch self {
    case .all: "All"
    case .incoming: "In"
    case .outgoing: "Out"
    case .blocked: "Blocked"
    case .find: "Find"
    }
  }
}

/// The lists of the Missions tab, in the order shown.
public enum MissionsSection: String, Hashable, Sendable, CaseIterable, Codable {
  case active, nearby, done

  public var title: String {
    switch self {
    case .active: "Active"
    case .nearby: "Nearby"
    case .done: "Done"
    }
  }
}

/// Something opened on top of a tab.
public enum Route: Hashable, Sendable, Codable {
  case person(UUID)
  case mission(UUID)
}

extension Array where Element: Equatable {
  /// The element `step` places after `current`, around the end; the first one without a current.
  package func element(after current: Element?, step: Int = 1) -> Element? {
    guard let current, let index = firstIndex(of: current) else { return first }
    return self[((index + step) % count + count) % count]
  }
}

private struct NavigationServiceKey: EnvironmentKey {
  @MainActor static let defaultValue = NavigationService()
}

extension EnvironmentValues {
  public var navigationService: NavigationService {
    get { self[NavigationServiceKey.self] }
    set { self[NavigationServiceKey.self] = newValue }
  }
}
