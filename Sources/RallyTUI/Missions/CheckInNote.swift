import RallyDomain
import RallyWire
import TerminalKit

/// Above the message line of the opened mission: the key of the check-in for who has arrived, and
/// what it tells to whom for who has not checked in before.
struct CheckInNote: View {
  let mission: Mission
  let viewModel: MissionsViewModel
  let selection: Binding<MissionDetailRow.ID?>

  @Environment(\.actions) private var actions
  @Environment(\.missionsStore) private var missionsStore

  var body: some View {
    if let objective = mission.objective(selectedBy: selection.wrappedValue),
      ActionAvailability(mission, viewModel).checkIn(at: objective) == nil
    {
      let sentences = [
        hasArrived
          ? "You are there: \(actions.table.way(to: MissionActions.checkIn.id)) checks in at "
            + "\(objective.title)." : nil,
        viewModel.hasCheckedIn
          ? nil
          : "The members will see that you were at \(objective.title), and when. Your position is "
            + "checked, not kept.",
      ].compactMap(\.self)
      if !sentences.isEmpty {
        Paragraph(sentences.joined(separator: " "), .accent).padding(horizontal: 1)
      }
    }
  }

  /// Whether I was on the way, and am in the mission's radius.
  private var hasArrived: Bool {
    missionsStore.coming.contains {
      $0.missionID == mission.id && $0.userID == viewModel.me && $0.arrivedAt != nil
    }
  }
}

extension Mission {
  /// The objective that a check-in is made at: the selected one, or the first open one while nothing
  /// is selected; nil while something else is.
  func objective(selectedBy row: MissionDetailRow.ID?) -> ObjectiveRecord? {
    guard let row else { return record.objectives.first { !$0.isDone } }
    return record.objectives.first { row == .objective($0.id) }
  }
}
