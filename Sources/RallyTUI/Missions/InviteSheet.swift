import FoundationEssentials
import RallyDomain
import RallyState
import RallyWire
import TerminalKit

/// Friends to be invited to a mission: Space chooses, Enter invites; a code invites anybody.
struct InviteSheet: View {
  let missionID: UUID

  @Environment(\.actions) private var actions
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.socialStore) private var socialStore
  @Environment(\.invitationsStore) private var invitationsStore
  @Environment(\.sharingCoordinator) private var sharingCoordinator
  @Environment(\.interface) private var interface
  @Environment(\.capabilities) private var capabilities
  @State private var selected: UUID?
  @State private var chosen: Set<UUID> = []

  var body: some View {
    let mission = missionsStore.mission(missionID)
    let code = invitationsStore.missionCode
    let link = code.map {
      InvitationWay(
        server: sharingCoordinator.server, settings: invitationsStore.settings,
        isGuest: !capabilities.contains(.otherServers)
      ).text(of: $0.code)
    }
    InviteChoices(
      mission: mission, friends: socialStore.friends,
      selection: Binding(get: { selection }, set: { selected = $0 }), chosen: chosen,
      code: link
    )
    .onCopy(disabled: code.value == nil ? makeFirst : nil) {
      link.value.map { Clipping(text: $0, title: "the link") }
    }
    .actions(Self.all, in: self)
  }

  private var selection: UUID? { selected ?? socialStore.friends.first?.id }

  private var makeFirst: String {
    "There is no code yet: \(actions.table.way(to: Self.makeCode.id)) makes one."
  }

  private func createCode() async {
    _ = await interface.act("Making a code") {
      await invitationsStore.createCode(forMission: missionID)
    }
  }

  private var mark: String? {
    guard let selection else { return "Nobody is selected." }
    let member = missionsStore.mission(missionID)?.members.first { $0.userID == selection }
    return switch member?.state {
    case .joined: "They are already members."
    case .invited: "They are already invited."
    case .left, nil: nil
    }
  }

  private func toggle() {
    guard let selection else { return }
    if chosen.remove(selection) == nil { chosen.insert(selection) }
  }

  /// Nobody chosen means who is selected.
  private func invite() {
    let mission = missionsStore.mission(missionID)
    var people = chosen
    if people.isEmpty, let selection {
      if let mark { return interface.say(mark, kind: .warning) }
      people = [selection]
    }
    guard let mission, !people.isEmpty else { return }
    let names = socialStore.friends.filter { people.contains($0.id) }.map(\.handle)
    let store = missionsStore
    interface.overlay = nil
    Task {
      let ids = socialStore.friends.map(\.id).filter(people.contains)
      let outcome = await interface.act("Inviting") { await store.invite(ids, to: mission.id) }
      guard outcome.isDone else { return }
      let words = names.count == 1 ? names[0] : "\(names.count) friends"
      interface.say("You invited \(words) to \(mission.title).", kind: .success)
    }
  }
}

extension InviteSheet {
  static let makeCode = FeatureAction<Self>(
    id: "missions.code", name: "mission-code", title: "code",
    summary: "Create a code; whoever accepts it joins the mission.", keys: ["c"],
    section: "Missions",
    disabled: { $0.invitationsStore.missionCode.isLoading() ? "One moment." : nil },
    run: { sheet in Task { await sheet.createCode() } })

  static let all: [FeatureAction<Self>] = [
    FeatureAction(MarkActions.mark.action, disabled: { $0.mark }, run: { $0.toggle() }),
    FeatureAction(.submit, run: { $0.invite() }),
    makeCode,
    FeatureAction(.leave, run: { $0.interface.overlay = nil }),
  ]
}

/// The sheet as values.
struct InviteChoices: View {
  let mission: Mission?
  let friends: [CommunityProfile]
  let selection: Binding<UUID?>
  let chosen: Set<UUID>
  /// A link that brings whoever has it into the mission, once it was asked for.
  var code: LoadableValue<String, CommunityViewError> = .idle

  @Environment(\.actions) private var actions
  @Environment(\.terminalSize) private var terminalSize

  var body: some View {
    Box(title: "Invite to \(mission?.title ?? "a mission")") {
      VStack(spacing: 0) {
        if friends.isEmpty {
          Paragraph(
            "You have no friends here yet; \(actions.table.way(to: Action.tabFriends.id)) goes to them, "
              + "and \(actions.table.way(to: SocialHome.find.id)) finds people.", .dim)
        } else {
          List(friends, id: \.id, selection: selection) { friend, isSelected in
            row(friend, isSelected)
          }
          .frame(height: min(friends.count, 12, max(3, terminalSize.height - 6)))
        }
        Text("")
        Text(footnote, .dim)
        switch code {
        case .idle, .cancelled: EmptyView()
        case .loading: ProgressText("Making a code…")
        case .failed(let failure): Paragraph(failure.failure.description, .danger)
        case .loaded(let success):
          Paragraph(success.value, .accent)
          Paragraph("Lets one person join the mission, within seven days.", .dim)
        }
        KeyHints(hints)
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 56)
  }

  private var hints: [(action: Action, title: String)] {
    let copying: [(action: Action, title: String)] = code.value == nil ? [] : [(.copy, "copy")]
    return [
      (MarkActions.mark.action, "choose"), (.submit, "invite"),
      (InviteSheet.makeCode.action, "code"),
    ] + copying + [(.back, "close")]
  }

  private func row(_ friend: CommunityProfile, _ isSelected: Bool) -> Line {
    let state = mission?.members.first { $0.userID == friend.id }?.state
    let mark =
      chosen.contains(friend.id) ? "[x]" : state == .joined || state == .invited ? "   " : "[ ]"
    let note: String =
      switch state {
      case .joined: "in it"
      case .invited: "invited"
      case .left: "left it"
      case nil: ""
      }
    return Line(
      Span(isSelected ? "▸" : " "), Span("\(mark) ", chosen.contains(friend.id) ? .accent : .dim),
      Span(friend.displayName.padded(toCells: 20)), Span(" "),
      Span(friend.handle.padded(toCells: 16), .dim), Span(" \(note)", .dim))
  }

  private var footnote: String {
    guard let mission else { return "" }
    let count = chosen.count == 0 ? "nobody chosen" : "\(chosen.count) chosen"
    guard let capacity = mission.capacity else { return count }
    let free = mission.isFull ? 0 : max(0, capacity - mission.memberCount)
    return "\(count) · \(free == 1 ? "1 place is" : "\(free) places are") free"
  }
}
