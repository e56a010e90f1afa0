import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct PositionTableTests {
  private func row(_ version: Int64, at place: Coordinate = Samples.lisbon) -> LocationRecord {
    Samples.location(of: 1, at: place, version: version)
  }

  @Test func `an event that came late does not bring back what is past`() {
    var table = PositionTable()
    table.apply(row(3, at: Samples.porto))
    table.apply(row(2))
    #expect(table.records[Samples.id(1)]?.coordinate == Samples.porto)
  }

  @Test func `a list that an event has overtaken leaves that person alone`() {
    var table = PositionTable()
    let mark = table.mark
    table.apply(row(5, at: Samples.porto))
    table.replace(with: [row(4), Samples.location(of: 2)], since: mark)
    #expect(table.records[Samples.id(1)]?.coordinate == Samples.porto)
    #expect(table.records[Samples.id(2)] != nil)
    // Nor does it remove somebody who has just appeared, or bring back who has just gone.
    let next = table.mark
    table.apply(Samples.location(of: 3))
    table.remove(Samples.id(2))
    table.replace(with: [row(5), Samples.location(of: 2)], since: next)
    #expect(table.records[Samples.id(3)] != nil)
    #expect(table.records[Samples.id(2)] == nil)
  }

  @Test func `a list is the truth about everybody else`() {
    var table = PositionTable()
    table.apply(row(9))
    table.apply(Samples.location(of: 2))
    table.replace(with: [row(1, at: Samples.porto)], since: table.mark)
    #expect(Set(table.records.keys) == [Samples.id(1)])
    #expect(table.records[Samples.id(1)]?.version == 1)
  }

  @Test func `a trail grows with precise positions, is bounded, and goes with the precision`() {
    var table = PositionTable()
    for step in 0..<200 {
      table.apply(row(Int64(step), at: Samples.coordinate(38, Double(step) / 100)))
      table.apply(row(Int64(step), at: Samples.coordinate(38, Double(step) / 100)))
    }
    #expect(table.trails[Samples.id(1)]?.count == PositionTable.trailLimit)
    #expect(table.trails[Samples.id(1)]?.last == Samples.coordinate(38, 1.99))
    table.apply(Samples.location(of: 1, precision: .approximate1km, version: 300))
    #expect(table.trails[Samples.id(1)] == nil)
  }

  @Test func `a trail does not begin in an earlier run`() {
    var table = PositionTable([row(1)])
    table.apply(row(2, at: Samples.porto))
    #expect(table.trails[Samples.id(1)] == [Samples.porto])
  }
}
