import RallyDomain
import RallyWire
import TerminalKit

/// What a check-in tells to whom, above the message line of the opened mission, for who has not
/// checked in before.
struct CheckInNote: View {
  let mission: Mission
  let viewModel: MissionsViewModel
  let selection: Binding<MissionDetailRow.ID?>

  var body: some View {
    if !viewModel.hasCheckedIn,
      let objective = mission.objective(selectedBy: selection.wrappedValue),
      ActionAvailability(mission, viewModel).checkIn(at: objective) == nil
    {
      Paragraph(
        "The members will see that you were at \(objective.title), and when. Your position is "
          + "checked, not kept.", .accent
      )
      .padding(horizontal: 1)
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
