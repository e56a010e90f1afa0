import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import RallyWords

@testable import RallyTUI
@testable import TerminalKit

/// Missions that the pictures agree on; `now` is noon.
enum MissionSamples {
  static let now = Samples.time
  /// In Alfama.
  static let here = Samples.coordinate(38.7120, -9.1300)
  static let me = Samples.id(0)

  static func later(_ minutes: Int) -> WireTime { now.advanced(by: .seconds(minutes * 60)) }

  /// The clock on the screen so many minutes after noon, in the zone of this machine.
  static func clock(_ minutes: Int) -> String { LocalTime.clock(later(minutes)) }

  static func member(
    _ number: Int, _ state: MissionMembership = .joined
  ) -> MissionMemberRecord {
    let person = Samples.person(number)
    return MissionMemberRecord(
      userID: person.id, username: person.username, displayName: person.displayName, state: state,
      joinedAt: state == .joined ? later(-60) : nil)
  }

  static func objective(
    _ number: Int, _ title: String, at place: Coordinate? = nil, count: Int = 1, done: Int = 0,
    by person: Int? = nil, minutes: Int = 0
  ) -> ObjectiveRecord {
    ObjectiveRecord(
      id: Samples.id(7000 + number), title: title, place: place, radiusMetres: 50, count: count,
      checkIns: done, lastBy: person.map(Samples.id), lastAt: person == nil ? nil : later(minutes))
  }

  static func mission(
    _ number: Int, _ title: String, brief: String = "", at centre: Coordinate = here,
    radius: Double = 500, starts: Int = -60, ends: Int? = 100, capacity: Int? = 6,
    visibility: MissionVisibility = .friends, state: MissionState = .open, closed: Int? = nil,
    objectives: [ObjectiveRecord] = [], members: [MissionMemberRecord] = [member(0)],
    creator: Int? = 0, myState: MissionMembership? = .joined, hidden: Int = 0
  ) -> Mission {
    var fields = MissionFields(
      title: title, brief: brief, centre: centre, radiusMetres: radius, startsAt: later(starts),
      endsAt: ends.map(later))
    fields.capacity = capacity
    fields.visibility = visibility
    var record = MissionRecord(
      id: Samples.id(5000 + number), creatorID: creator.map(Samples.id), fields: fields,
      createdAt: later(-90), objectives: objectives, members: members,
      memberCount: members.count { $0.state == .joined } + hidden)
    record.state = state
    record.closedAt = closed.map(later)
    record.myState = myState
    guard let mission = Mission(record) else { preconditionFailure("a sample without a place") }
    return mission
  }

  /// Ana is 0 and looks at it; Rui made it.
  static var lanterns: Mission {
    mission(
      1, "Lanterns of Alfama", brief: "Four lights before the last tram. Meet at the stairs.",
      objectives: [
        objective(1, "Red lantern", done: 1, by: 3, minutes: -40),
        objective(2, "Stone cat", done: 1, by: 0, minutes: -21),
        objective(3, "Blue door", at: Samples.coordinate(38.7120, -9.1289)),
        objective(4, "Well of voices", at: Samples.coordinate(38.7152, -9.1300)),
      ],
      members: [member(3), member(0), member(2), member(4), member(7, .invited)], creator: 3)
  }

  static var fogRun: Mission {
    mission(
      2, "Fog run at dawn", at: Samples.coordinate(37.80, -122.42), starts: 180, ends: 400,
      objectives: [objective(5, "Finish together")], members: [member(4), member(5)],
      creator: 4, myState: .invited)
  }

  static var trees: Mission {
    mission(
      3, "木を二十本 植える 🌳 together", at: Samples.coordinate(-34.6, -58.4), ends: 6 * 24 * 60,
      capacity: nil, objectives: [objective(6, "Plant a tree", count: 20, done: 9, by: 2)],
      members: [member(0), member(1), member(2)], hidden: 9)
  }

  static var talk: Mission {
    mission(4, "Talk by the river", ends: nil, capacity: nil, visibility: .private)
  }

  static var finished: Mission {
    mission(
      5, "Night market", ends: -60, state: .completed, closed: -120,
      objectives: [objective(8, "Find the noodles", done: 1, by: 1, minutes: -120)],
      members: [member(1), member(0)], creator: 1)
  }

  static func line(
    _ number: Int, _ kind: ActivityKind, by person: Int?, minutes: Int, objective: String? = nil,
    text: String? = nil
  ) -> MissionActivityRecord {
    let profile = person.map { Samples.person($0) }
    return MissionActivityRecord(
      id: Samples.id(9000 + number), missionID: lanterns.id, missionTitle: "", kind: kind,
      userID: profile?.id, username: profile?.username, displayName: profile?.displayName,
      objectiveTitle: objective, text: text, createdAt: later(minutes))
  }

  static var feed: MissionFeed {
    var feed = MissionFeed()
    feed.lines = [
      line(
        1, .said, by: 3, minutes: -2, text: "left at the stairs, then up until you hear the tram"),
      line(2, .checkedIn, by: 0, minutes: -21, objective: "Stone cat"),
      line(3, .checkedIn, by: 3, minutes: -40, objective: "Red lantern"),
      line(4, .joined, by: 0, minutes: -58),
      line(5, .created, by: 3, minutes: -60),
    ]
    feed.hasMore = false
    return feed
  }

  static func pending(
    _ status: PendingCheckIn.Status, objective: Int = 3, title: String = "Blue door"
  ) -> PendingCheckIn {
    PendingCheckIn(
      id: Samples.id(8000 + objective), missionID: lanterns.id,
      objectiveID: Samples.id(7000 + objective), missionTitle: "Lanterns of Alfama",
      objectiveTitle: title, madeAt: later(-2), status: status)
  }

  static func viewModel(
    _ section: MissionsSection = .active, active: [Mission]? = nil,
    change: (inout MissionsViewModel) -> Void = { _ in }
  ) -> MissionsViewModel {
    var viewModel = MissionsViewModel(
      section: section, active: active ?? [lanterns, fogRun, trees, talk], done: [finished],
      asOf: now, me: me, onlineIDs: [Samples.id(3)],
      position: here, isLive: true, now: now)
    change(&viewModel)
    return viewModel
  }
}

/// The Missions tab over values.
struct MissionsPicture: View {
  let viewModel: MissionsViewModel
  var feed: MissionFeed? = MissionSamples.feed
  var openedID: UUID?
  let viewState: MissionsViewState

  var body: some View {
    VStack(spacing: 0) {
      MissionSections(viewModel: viewModel)
      MissionPanes(
        viewModel: viewModel, feeds: [MissionSamples.lanterns.id: feed ?? MissionFeed()],
        selection: viewState.selection(in: viewModel.section), openedID: openedID,
        rowSelection: Binding(viewState, \.row), messageDraft: viewState.messageDraft)
    }
  }
}
