import Testing

@testable import RallyTUI
@testable import TerminalKit

@Suite struct HelpRowTests {
  @Test func `each section has one heading, with all of its actions below it`() {
    let rows = HelpRow.rows(
      ActionTable.rally.actions.map { AvailableAction(action: $0, disabledReason: nil) },
      filter: "")
    let headings = rows.filter(\.isHeading).map(\.text)
    #expect(
      headings == [
        "Map", "Missions", "Sharing", "Phones", "Friends", "Everywhere", "Lists", "Moving", "Forms",
        "Invitations",
      ])
    #expect(Set(rows.map(\.id)).count == rows.count)
  }
}
