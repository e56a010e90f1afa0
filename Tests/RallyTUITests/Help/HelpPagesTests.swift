import Testing

@testable import RallyTUI
@testable import TerminalKit

@Suite struct HelpPagesTests {
  private func rows(_ sections: [Int]) -> [HelpRow] {
    sections.enumerated().flatMap { section, count in
      [HelpRow(id: "section \(section)", key: "", title: "S\(section)", isHeading: true)]
        + (0..<count).map { HelpRow(id: "\(section).\($0)", key: "k", title: "\($0)") }
    }
  }

  private func titles(_ pages: HelpPages) -> [[[String]]] {
    pages.pages.map { $0.map { $0.map(\.id) } }
  }

  @Test func `rows fill a column, then the next one, then the next page`() {
    let pages = HelpPages(rows([6]), columns: 2, height: 3)
    #expect(
      titles(pages) == [
        [["section 0", "0.0", "0.1"], ["0.2", "0.3", "0.4"]], [["0.5"]],
      ])
    #expect(pages.actions.map(\.id) == (0..<6).map { "0.\($0)" })
    #expect(pages.page(of: "0.5") == 1)
    #expect(pages.page(of: nil) == 0)
    #expect(pages.first(ofPage: 1) == "0.5")
    #expect(pages.first(ofPage: 2) == nil)
  }

  @Test func `a heading is never the last row of a column`() {
    let pages = HelpPages(rows([1, 1]), columns: 1, height: 3)
    #expect(titles(pages) == [[["section 0", "0.0"]], [["section 1", "1.0"]]])
  }
}
