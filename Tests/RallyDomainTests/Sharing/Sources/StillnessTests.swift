import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct StillnessTests {
  private func take(
    _ stillness: inout Stillness, _ metres: Double, _ second: Int
  ) -> Bool {
    let fix = LocationFix(
      coordinate: Samples.coordinate(
        Samples.lisbon.latitude + metres / 111_195, Samples.lisbon.longitude),
      accuracyMetres: 8, recordedAt: Samples.time, source: "gpsd")
    return stillness.take(fix, at: Samples.time.advanced(by: .seconds(second)))
  }

  @Test func `a device stands still after a minute without movement`() {
    var stillness = Stillness()
    for second in 0..<60 { #expect(!take(&stillness, Double(second % 7), second)) }
    #expect(take(&stillness, 3, 60))
    #expect(stillness.count == 61)
    #expect(!take(&stillness, 20, 61))
    #expect(!take(&stillness, 20, 120))
    #expect(take(&stillness, 20, 121))
  }

  @Test func `many small steps are a movement`() {
    var stillness = Stillness()
    for second in 0..<600 { #expect(!take(&stillness, Double(second) * 0.5, second)) }
  }

  @Test func `a clock that was set back begins anew`() {
    var stillness = Stillness()
    #expect(!take(&stillness, 0, 0))
    #expect(!take(&stillness, 0, -3600))
    #expect(take(&stillness, 0, -3540))
  }
}
