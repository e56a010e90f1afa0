import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct MovementTests {
  /// A fix this many metres to the north of Lisbon.
  private func fix(
    _ metres: Double, accuracy: Double? = nil, speed: Double? = nil
  ) -> LocationFix {
    LocationFix(
      coordinate: Samples.coordinate(
        Samples.lisbon.latitude + metres / 111_195, Samples.lisbon.longitude),
      accuracyMetres: accuracy, speed: speed, recordedAt: Samples.time, source: "gpsd")
  }

  @Test func `a distance within the accuracy of either fix is no movement`() {
    #expect(!Movement.isMovement(from: fix(0, accuracy: 20), to: fix(19, accuracy: 3)))
    #expect(!Movement.isMovement(from: fix(0, accuracy: 3), to: fix(19, accuracy: 20)))
    #expect(Movement.isMovement(from: fix(0, accuracy: 20), to: fix(21, accuracy: 3)))
  }

  @Test func `a few metres are never movement`() {
    #expect(!Movement.isMovement(from: fix(0), to: fix(4.9)))
    #expect(!Movement.isMovement(from: fix(0, accuracy: 0.5), to: fix(4.9, accuracy: 0.5)))
    #expect(Movement.isMovement(from: fix(0), to: fix(5.1)))
  }

  @Test func `who stands still must be seen twice as far away`() {
    #expect(!Movement.isMovement(from: fix(0, accuracy: 10), to: fix(19, accuracy: 10, speed: 0.1)))
    #expect(Movement.isMovement(from: fix(0, accuracy: 10), to: fix(21, accuracy: 10, speed: 0.1)))
    #expect(Movement.isMovement(from: fix(0, accuracy: 10), to: fix(11, accuracy: 10, speed: 1.4)))
  }

  @Test func `a device that stands still is passed on once a minute`() {
    var filter = FixFilter()
    func passes(_ metres: Double, _ seconds: Int, accuracy: Double = 10) -> Bool {
      filter.passes(
        fix(metres, accuracy: accuracy), at: Samples.time.advanced(by: .seconds(seconds)))
    }
    #expect(passes(0, 0))
    let passed = (1...119).filter { passes(Double($0 % 5), $0) }
    #expect(passed == [60])
    #expect(passes(20, 119))
    // A far better accuracy is news too.
    #expect(!passes(20, 120, accuracy: 6))
    #expect(passes(20, 121, accuracy: 4))
    // A clock that was set back must not silence it.
    #expect(passes(20, -5000, accuracy: 4))
  }
}
