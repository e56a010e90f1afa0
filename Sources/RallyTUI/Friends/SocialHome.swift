import RallyDomain
import TerminalKit

/// The Friends tab: its lists, the selected person beside them.
struct SocialHome: View {
  @Environment(\.navigationService) private var navigationService
  @Environment(\.socialStore) private var socialStore
  @Environment(\.interface) private var interface

  var body: some View {
    VStack(spacing: 0) {
      ListNames(
        titles: FriendsSection.allCases.map { title(of: $0) },
        chosen: FriendsSection.allCases.firstIndex(of: navigationService.friendsSection)
      ) { show(FriendsSection.allCases[$0]) }
      switch navigationService.friendsSection {
      case .all, .incoming, .outgoing: FriendsPane(section: navigationService.friendsSection)
      case .blocked: BlockedPane()
      case .find: PeopleSearchPane()
      }
    }
    .actions(Self.all, in: self)
    .onAction(.codes) { interface.overlay = .invitations }
    .onAction(.sectionNext) { move(by: 1) }
    .onAction(.sectionPrevious) { move(by: -1) }
  }

  private func title(of section: FriendsSection) -> String {
    section.title + (count(of: section).map { " \($0)" } ?? "")
  }

  private func count(of section: FriendsSection) -> Int? {
    guard socialStore.asOf != nil else { return nil }
    return switch section {
    case .all: socialStore.friends.count
    case .incoming: socialStore.incomingRequests.count
    case .outgoing: socialStore.outgoingRequests.count
    case .blocked, .find: nil
    }
  }

  private func move(by step: Int) {
    let all = FriendsSection.allCases
    if let next = all.element(after: navigationService.friendsSection, step: step) { show(next) }
  }

  private func show(_ section: FriendsSection) {
    navigationService.popToRoot()
    navigationService.friendsSection = section
  }
}

extension SocialHome {
  static let find = FeatureAction<Self>(
    id: "friends.find", title: "find people", summary: "Find people by name to ask them.",
    keys: ["c"], section: "Friends", footer: 380,
    run: { $0.navigationService.friendsSection = .find })

  static let all = [find]
}
