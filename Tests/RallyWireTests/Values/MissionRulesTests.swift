import RallyWire
import Testing

@Suite struct MissionRulesTests {
  @Test(
    arguments: [
      (100.0, nil, 100.0, true), (100.5, nil, 100, false), (100.5, 0, 100, false),
      (120, 20, 100, true), (121, 20, 100, false),
      // At most as far as the radius itself.
      (200, 900, 100, true), (201, 900, 100, false),
      // Or 50 m where the place is smaller.
      (60, 50, 10, true), (61, 50, 10, false), (61, 1000, 10, false),
      // A negative accuracy takes nothing away.
      (100, -30, 100, true), (100, -.infinity, 100, true),
    ] as [(Double, Double?, Double, Bool)])
  func `inaccuracy counts in a person's favour up to a limit`(
    _ distance: Double, _ accuracy: Double?, _ radius: Double, _ isWithin: Bool
  ) {
    #expect(
      MissionRules.isWithin(distance: distance, accuracy: accuracy, radius: radius) == isWithin)
  }

  @Test func `numbers that are none are nowhere`() {
    #expect(!MissionRules.isWithin(distance: .nan, accuracy: 5, radius: 100))
    #expect(!MissionRules.isWithin(distance: 10, accuracy: 5, radius: .nan))
  }

  @Test func `upcoming and active are open`() {
    #expect(MissionPhase.allCases.filter(\.isOpen) == [.upcoming, .active])
  }
}
