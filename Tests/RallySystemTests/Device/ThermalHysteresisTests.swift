import Testing

@testable import RallySystem

struct ThermalHysteresisTests {
  private let start = ContinuousClock.now

  /// A zone that is fair from 70, serious from 80 and critical from 95 degrees.
  private func sample(_ degrees: Double) -> ThermalSample {
    ThermalSample(zones: [
      ThermalZone(
        type: "acpitz", temperature: Int(degrees * 1000),
        trips: [(.passive, 80_000), (.hot, 95_000)])
    ])
  }

  /// Judges temperatures that are `every` seconds apart; gives the states.
  private func judge(_ degrees: [Double], every seconds: Double = 10) -> [ThermalState] {
    var judge = ThermalHysteresis()
    return degrees.enumerated().map { index, degree in
      judge.judge(sample(degree), at: start + .seconds(Double(index) * seconds))
    }
  }

  @Test func `heat rises at once`() {
    #expect(judge([40, 81]) == [.nominal, .serious])
    #expect(judge([71]) == [.fair])
  }

  @Test func `critical needs two looks in a row`() {
    #expect(judge([40, 96, 96]) == [.nominal, .serious, .critical])
    #expect(judge([40, 96, 85, 96]) == [.nominal, .serious, .serious, .serious])
  }

  @Test func `heat falls only after two looks ten seconds apart`() {
    #expect(judge([81, 60, 60]) == [.serious, .serious, .nominal])
    #expect(judge([81, 60, 60, 60], every: 4) == [.serious, .serious, .serious, .serious])
    #expect(judge([81, 60, 60, 60, 60], every: 4).last == .nominal)
  }

  @Test func `less than three degrees under the threshold is no fall`() {
    #expect(judge([81, 77.5, 77.5, 77.5]) == [.serious, .serious, .serious, .serious])
    #expect(judge([81, 76.9, 76.9]) == [.serious, .serious, .fair])
  }

  @Test func `a warm look in between begins the fall anew`() {
    #expect(judge([81, 60, 81, 60, 60]) == [.serious, .serious, .serious, .serious, .nominal])
  }

  @Test func `a fall goes only as far as the warmest of its looks`() {
    #expect(judge([96, 96, 78, 60]) == [.serious, .critical, .critical, .serious])
  }
}
