import Foundation
import Observation
import RallyDomain
import RallyWire
import TerminalKit

/// How this person looks at the missions: what is neither the server's nor of use to another tab.
@MainActor
@Observable
final class MissionsViewState {
  /// Who is selected in each list.
  var selections: [MissionsSection: UUID] = [:]
  /// What is selected in the mission that is open.
  var row: MissionDetailRow.ID?
  var filter = ""
  var isFiltering = false
  /// Whether it was said what the members see of a check-in.
  @ObservationIgnored var isCheckInExplained = false
  let messageDraft = MessageDraft()

  func selection(in section: MissionsSection) -> Binding<UUID?> {
    Binding(get: { self.selections[section] }, set: { self.selections[section] = $0 })
  }
}
