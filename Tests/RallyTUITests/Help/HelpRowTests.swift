import RallyDomain
import Testing

@testable import RallySystem
@testable import RallyTUI
@testable import TerminalKit

@Suite struct HelpRowTests {
  @Test func `each section has one heading, with all of its actions below it`() {
    let rows = HelpRow.rows(
      ActionTable.rally.actions.map { AvailableAction(action: $0, disabledReason: nil) },
      filter: "")
    let headings = rows.filter(\.isHeading).map(\.title)
    #expect(
      headings == [
        "Map", "Streets", "Missions", "Calendar", "Sharing", "Links", "Alerts", "Phones",
        "SSH keys",
        "Forms", "Friends", "Everywhere", "Lists", "Moving", "Invitations",
      ])
    #expect(Set(rows.map(\.id)).count == rows.count)
  }

  @Test(arguments: RallyTab.allCases)
  func `every tab has a legend, whose signs are told in sentences and found by their words`(
    tab: RallyTab
  ) {
    let rows = HelpRow.rows(ofSignsOn: tab, filter: "")
    #expect(rows.first?.title == "Signs" && rows.first?.isHeading == true)
    #expect(rows.count > 5 && Set(rows.map(\.id)).count == rows.count)
    for row in rows.dropFirst() {
      #expect(row.sentence?.hasSuffix(".") == true)
      #expect(row.title.cellWidth <= 24 && row.key.cellWidth <= 8)
      #expect(HelpRow.rows(ofSignsOn: tab, filter: row.title).contains(row))
    }
    #expect(HelpRow.rows(ofSignsOn: tab, filter: "no such sign") == [])
  }

  @Test func `of the ways to quit one is listed, and its details name the others`() throws {
    func rows(_ ids: [ActionID]) -> [HelpRow] {
      HelpRow.rows(
        ActionTable.rally.actions.filter { ids.contains($0.id) }.map {
          AvailableAction(action: $0, disabledReason: nil)
        }, filter: "")
    }
    let inside = rows(HelpRow.waysToQuit).filter { !$0.isHeading }
    #expect(inside.map(\.id) == ["leave"])
    #expect(
      inside.first?.details?.others == [
        "^C  Cancel; pressed twice it quits.", "Z Z  Quit at once.",
      ])
    // A form takes letters as text.
    let form = rows([ProgramActions.cancel.id, ProgramActions.quit.id]).filter { !$0.isHeading }
    #expect(form.map(\.id) == ["cancel"])
  }

  @Test func `an action is found by what it is called, by what it does and by its key`() {
    let all = ActionTable.rally.actions.map { AvailableAction(action: $0, disabledReason: nil) }
    for filter in ["unfriend", "end the friendship", "fg returns", "^z"] {
      #expect(HelpRow.rows(all, filter: filter).contains { !$0.isHeading }, "\(filter)")
    }
    #expect(HelpRow.rows(all, filter: "no such thing").isEmpty)
  }
}
