import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct PositionSamplerTests {
  private let start = Samples.time

  /// A measured fix this many metres to the north of Lisbon.
  private func fix(_ metres: Double, source: String = "gpsd") -> LocationFix {
    LocationFix(
      coordinate: Samples.coordinate(
        Samples.lisbon.latitude + metres / 111_195, Samples.lisbon.longitude),
      accuracyMetres: 8, recordedAt: start, source: source)
  }

  private func known(_ metres: Double, _ precision: SharingMode = .precise) throws -> OwnPosition {
    let report = LocationReport(
      coordinate: fix(metres).coordinate, recordedAt: start, source: "gpsd", precision: precision)
    return try #require(OwnPosition(report))
  }

  private func at(_ seconds: Double) -> WireTime { start.advanced(by: .seconds(seconds)) }

  @Test(arguments: [15, 25, 45, 60])
  func `who moves is sent once per interval, and never more often`(seconds: Int) throws {
    var sampler = PositionSampler()
    var sent: [Int] = []
    // A walk of 1.4 m/s, measured every second.
    for second in 0..<600 {
      let here = fix(Double(second) * 1.4)
      let server = try sent.last.map { try known(Double($0) * 1.4) }
      guard
        sampler.isDue(
          here, known: server, interval: .seconds(seconds), at: at(Double(second)))
      else { continue }
      sampler.attempting(at: at(Double(second)))
      sampler.sent(here)
      sent.append(second)
    }
    let pauses = zip(sent.dropFirst(), sent).map(-)
    #expect(sent.first == 0)
    #expect(pauses.allSatisfy { $0 >= seconds * 9 / 10 && $0 <= seconds })
    #expect(sent.count >= 600 / seconds)
  }

  @Test func `who stands still is sent once, whatever the receiver drifts`() throws {
    var sampler = PositionSampler()
    var random = SeededGenerator(seed: 5)
    sampler.attempting(at: start)
    sampler.sent(fix(0))
    for second in 1..<3600 {
      let drifted = fix(.random(in: -7...7, using: &random))
      #expect(
        !sampler.isDue(
          drifted, known: try known(0), interval: .seconds(15), at: at(Double(second))))
    }
  }

  @Test func `a program that starts where it stopped sends nothing`() throws {
    let sampler = PositionSampler()
    #expect(!sampler.isDue(fix(3), known: try known(0), interval: .seconds(15), at: start))
    #expect(sampler.isDue(fix(30), known: try known(0), interval: .seconds(15), at: start))
  }

  @Test func `a device that stands still does not displace another one of mine that moves`() throws
  {
    var sampler = PositionSampler()
    sampler.attempting(at: start)
    sampler.sent(fix(0))
    #expect(!sampler.isDue(fix(2), known: try known(5000), interval: .seconds(15), at: at(900)))
  }

  @Test func `friends who see nothing, or less than they may, need no movement`() throws {
    var sampler = PositionSampler()
    sampler.attempting(at: start)
    sampler.sent(fix(0))
    #expect(sampler.isDue(fix(0), known: nil, interval: .seconds(15), at: at(1)))
    #expect(
      sampler.isDue(fix(0), known: try known(0, .approximate1km), interval: .seconds(15), at: at(1))
    )
  }

  @Test func `what the person says is sent at once`() throws {
    var sampler = PositionSampler()
    sampler.attempting(at: start)
    let said = fix(0, source: LocationFix.manualSource)
    sampler.sent(said)
    #expect(sampler.isDue(said, known: try known(0), interval: .seconds(60), at: at(1)))
  }

  @Test func `a clock that was set back does not stop it`() {
    var sampler = PositionSampler()
    sampler.attempting(at: start)
    #expect(sampler.isTooEarly(interval: .seconds(15), at: at(13)))
    #expect(!sampler.isTooEarly(interval: .seconds(15), at: at(14)))
    #expect(!sampler.isTooEarly(interval: .seconds(15), at: at(-3600)))
  }
}

@Suite struct HereRequestTests {
  @Test(arguments: [
    ("Lisbon", "Lisbon", nil), ("San José, Costa Rica", "San José, Costa Rica", nil),
    ("Lisbon for 2h", "Lisbon", "2h"), ("38.72,-9.14  FOR 45M", "38.72,-9.14", "45m"),
    ("Port for Life", "Port for Life", nil), ("for 2h", "for 2h", nil), ("", "", nil),
  ])
  func `a place may be followed by how long it holds`(
    text: String, place: String, end: String?
  ) throws {
    let request = try HereRequest(text)
    #expect(request.place == place)
    #expect(request.end == end)
    #expect((request.duration == nil) == (end == nil))
  }

  @Test func `a duration that is none is refused`() {
    #expect(throws: FieldProblem.self) { try HereRequest("Lisbon for 2y") }
    #expect(throws: FieldProblem.self) { try HereRequest("Lisbon for 99d") }
  }
}
