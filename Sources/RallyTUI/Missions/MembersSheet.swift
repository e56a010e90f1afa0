import FoundationEssentials
import RallyDomain
import RallySystem
import RallyWire
import TerminalKit

/// The other members of a mission, the profile of the selected one below them.
struct MembersSheet: View {
  let missionID: UUID

  @Environment(\.actions) private var actions
  @Environment(\.ageClock) private var ageClock
  @Environment(\.isPlain) private var isPlain
  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.socialStore) private var socialStore
  @Environment(\.interface) private var interface
  /// Members' profiles as far as the server has sent them; they add the bio to what the mission says.
  @State private var profiles: [UUID: CommunityProfile] = [:]
  @State private var selection: UUID?

  var body: some View {
    let mission = missionsStore.mission(missionID)
    let members = mission?.members.filter { $0.userID != missionsStore.userID } ?? []
    let people = socialStore.entries(
      for: members.map { profiles[$0.id] ?? CommunityProfile($0) })
    let selected = people.first { $0.id == selection } ?? people.first
    let columns = PeopleColumns(width: Self.width - 4)
    Box(title: "Members of \(mission?.title ?? "a mission")") {
      VStack(spacing: 0) {
        if let selected {
          List(
            people, id: \.id, selection: Binding(get: { selected.id }, set: { selection = $0 })
          ) { person, isSelected in
            let row = PeopleRow.person(person)
            if isPlain {
              Line(Span(row.sentence(at: ageClock.now)))
            } else {
              columns.line(for: row, isSelected: isSelected, at: ageClock.now)
            }
          }
          .frame(height: min(people.count, max(2, terminalSize.height - Self.detailHeight)))
          Text("")
          PersonDetail(
            entry: selected,
            note: members.first { $0.id == selected.id }?.state == .invited
              ? "invited to this mission" : "in this mission")
          PersonActions { selected }
        } else {
          Paragraph(
            "Nobody else is in this mission; \(actions.table.way(to: MissionActions.invite.id)) "
              + "invites friends.", .dim)
        }
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: Self.width)
    .aging(if: people.contains(where: \.showsAge))
    .onAction(.leave) { interface.overlay = nil }
    .onAction(MissionActions.members.id) { interface.overlay = nil }
    .task(id: members.map(\.id)) {
      let ids = members.prefix(Self.profileLimit).map(\.id)
      let found = await socialStore.fetchProfiles(of: ids).value ?? []
      profiles = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    }
  }

  /// How many profiles the server sends at once.
  private static let profileLimit = 500
  /// Cells.
  private static let width = 56
  /// Rows that the box and the profile of a person need, with a bio of two lines.
  private static let detailHeight = 17
}

extension CommunityProfile {
  fileprivate init(_ member: MissionMemberRecord) {
    self.init(id: member.userID, username: member.username, displayName: member.displayName)
  }
}
