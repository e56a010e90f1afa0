import Foundation
import RallyDomain
import RallyTestSupport
import RallyWords
import Testing

@testable import RallySystem
@testable import RallyTUI

@Suite struct RowMarksTests {
  private func ids(_ numbers: Int...) -> Set<UUID> { Set(numbers.map(Samples.id)) }

  @Test func `a row is marked and unmarked by its id`() {
    let marks = RowMarks()
    marks.toggle(Samples.id(1))
    marks.toggle(Samples.id(2))
    marks.toggle(Samples.id(1))
    #expect(marks.ids == ids(2))
    marks.clear()
    #expect(marks.ids.isEmpty)
  }

  @Test func `a range grows and shrinks with the selection and leaves what was marked before`() {
    let marks = RowMarks()
    marks.toggle(Samples.id(9))
    marks.beginRange(at: Samples.id(2))
    marks.stretchRange(over: [2, 3, 4].map(Samples.id))
    #expect(marks.ids == ids(2, 3, 4, 9))
    marks.stretchRange(over: [1, 2].map(Samples.id))
    #expect(marks.ids == ids(1, 2, 9))
    marks.endRange()
    marks.stretchRange(over: [5].map(Samples.id))
    #expect(marks.ids == ids(1, 2, 9))
  }

  @Test func `names and results are said in one sentence`() {
    #expect(BulkActionText.names(["Ana"]) == "Ana")
    #expect(BulkActionText.names(["Ana", "Bob"]) == "Ana and Bob")
    #expect(
      BulkActionText.names(["Ana", "Bob", "Cleo", "Dan", "Eve"]) == "Ana, Bob, Cleo and 2 more")
    #expect(BulkActionText.result(5, "accepted", failures: []) == "5 accepted.")
    #expect(
      BulkActionText.result(5, "accepted", failures: [("Ana", "It was withdrawn.")])
        == "5 accepted, 1 failed: Ana. It was withdrawn.")
    #expect(BulkAction.counted(1, "requests") == "1 request")
    #expect(BulkAction.counted(1, "people") == "1 person")
    #expect(BulkAction.counted(3, "people") == "3 people")
  }
}
