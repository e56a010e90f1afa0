import Testing

@testable import RallyRules
@testable import RallyServer

@Suite struct PaceTests {
  @Test func `a second's worth at once, then as fast as it comes back`() {
    let start = ContinuousClock.now
    var pace = Pace(10, at: start)
    // However long nothing came, no more than a second's worth is there.
    let asked: [(count: Int, milliseconds: Int)] = [
      (10, 0), (1, 0), (1, 99), (1, 101), (11, 3_600_000), (10, 3_600_000),
    ]
    let given = asked.map { pace.take($0.count, at: start + .milliseconds($0.milliseconds)) }
    #expect(given == [true, false, false, true, false, true])
  }

  @Test func `a burst of its own`() {
    let start = ContinuousClock.now
    var pace = Pace(1.0 / 3, burst: 2, at: start)
    let given = [(2, 0), (1, 2), (1, 4)].map { pace.take($0.0, at: start + .seconds($0.1)) }
    #expect(given == [true, false, true])
  }
}
