import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct LocationChoiceTests {
  private let now = Samples.time.advanced(by: .seconds(1000))

  /// A fix that is this many seconds old.
  private func fix(
    _ place: Coordinate, age: Int = 1, accuracy: Double? = 8, source: String = "gpsd"
  ) -> LocationFix {
    LocationFix(
      coordinate: place, accuracyMetres: accuracy,
      recordedAt: now.advanced(by: .seconds(-age)), source: source)
  }

  private func pin(
    _ place: Coordinate = Samples.lisbon, age: Int = 100, until: Int? = nil,
    measured: LocationFix? = nil
  ) -> ManualPin {
    ManualPin(
      fix(place, age: age, accuracy: nil, source: LocationFix.manualSource),
      until: until.map { now.advanced(by: .seconds($0)) }, measured: measured)
  }

  private func reading(
    _ source: String, _ fix: LocationFix?, state: LocationSourceState = .running,
    arrived age: Int = 1
  ) -> LocationReading {
    var reading = LocationReading(source: source)
    reading.state = state
    reading.fix = fix
    reading.arrivedAt = fix == nil ? nil : now.advanced(by: .seconds(-age))
    return reading
  }

  private func choose(
    _ pin: ManualPin? = nil, _ readings: [LocationReading] = [], elsewhere: LocationFix? = nil
  ) -> LocationChoice {
    LocationChoice(pin: pin, readings: readings, elsewhere: elsewhere, at: now)
  }

  private func verdict(_ id: String, in choice: LocationChoice) -> LocationVerdict? {
    choice.candidates.first { $0.id == id }?.verdict
  }

  @Test func `nothing is known`() {
    let choice = choose(nil, [reading("gpsd", nil, state: .unavailable("off"))])
    #expect(choice.fix == nil && choice.taken == nil)
    #expect(verdict("gpsd", in: choice) == .notMeasuring)
  }

  @Test func `the first source by rank goes before one that measured later`() {
    let choice = choose(
      nil,
      [
        reading("gpsd", fix(Samples.lisbon, age: 9), arrived: 9),
        reading("geoclue", fix(Samples.porto, age: 1, source: "geoclue")),
      ])
    #expect(choice.fix?.coordinate == Samples.lisbon)
    #expect(choice.taken?.id == "gpsd")
    #expect(verdict("geoclue", in: choice) == .outranked(by: "gpsd"))
    #expect(verdict("last-known", in: choice) == .outranked(by: "gpsd"))
  }

  @Test(arguments: [
    LocationSourceState.notAsked, .searching("satellites"), .denied("by you"), .unavailable("gone"),
  ])
  func `a source that does not measure leaves it to the next`(state: LocationSourceState) {
    let choice = choose(
      nil,
      [
        reading("gpsd", fix(Samples.lisbon, age: 20), state: state),
        reading("geoclue", fix(Samples.porto, age: 30, source: "geoclue")),
      ])
    #expect(choice.taken?.id == "geoclue")
    #expect(verdict("gpsd", in: choice) == .notMeasuring)
  }

  @Test func `a source that rests by policy keeps its fix`() {
    let choice = choose(nil, [reading("gpsd", fix(Samples.lisbon), state: .paused("45 s"))])
    #expect(choice.taken?.id == "gpsd")
  }

  @Test func `a fix counts for the lifetime of its source, by when it arrived`() {
    var old = reading("gpsd", fix(Samples.lisbon, age: 9000), arrived: 599)
    #expect(choose(nil, [old]).taken?.id == "gpsd")
    #expect(choose(nil, [old]).expiry == now.advanced(by: .seconds(1)))
    old.arrivedAt = now.advanced(by: .seconds(-600))
    let choice = choose(nil, [old])
    #expect(verdict("gpsd", in: choice) == .tooOld)
    #expect(verdict("last-known", in: choice) == .lastKnown(from: "gpsd"))
    #expect(choice.fix?.coordinate == Samples.lisbon)
    #expect(choice.expiry == nil)
  }

  @Test func `where nothing measures the newest known position counts`() {
    let choice = choose(
      pin(until: -50), [reading("gpsd", fix(Samples.porto, age: 300), state: .unavailable("gone"))],
      elsewhere: fix(Samples.lisbon, age: 20, source: "phone"))
    #expect(choice.taken?.id == "last-known")
    #expect(choice.fix?.source == "phone")
    #expect(
      verdict("manual", in: choice) == .ended(now.advanced(by: .seconds(-50))))
  }

  @Test func `a pin with a time holds until then, whatever is measured`() {
    let readings = [reading("gpsd", fix(Samples.porto))]
    let held = choose(pin(until: 1), readings, elsewhere: fix(Samples.porto, age: 2))
    #expect(held.taken?.id == "manual")
    #expect(held.expiry == now.advanced(by: .seconds(1)))
    #expect(verdict("gpsd", in: held) == .outranked(by: "manual"))
    let ended = choose(pin(until: 0), readings)
    #expect(ended.taken?.id == "gpsd")
    #expect(!ended.isPinLeft)
  }

  @Test func `a pin without a time holds until the device moves from where it was measured then`() {
    let then = fix(Samples.porto, age: 100)
    // 0.0001 degrees of latitude are 11 m.
    let drifted = Samples.coordinate(Samples.porto.latitude + 0.00006, Samples.porto.longitude)
    let gone = Samples.coordinate(Samples.porto.latitude + 0.0002, Samples.porto.longitude)
    let held = choose(pin(measured: then), [reading("gpsd", fix(drifted))])
    #expect(held.taken?.verdict == .pinned(until: nil))
    let left = choose(pin(measured: then), [reading("gpsd", fix(gone))])
    #expect(left.taken?.id == "gpsd")
    #expect(left.isPinLeft)
    // Older than the pin: it cannot have ended it.
    #expect(!choose(pin(measured: then), [reading("gpsd", fix(gone, age: 101))]).isPinLeft)
  }

  @Test func `a pin set while nothing measured holds from the first measurement on`() {
    let first = fix(Samples.porto, age: 50)
    #expect(choose(pin(), [reading("gpsd", first)]).taken?.id == "manual")
    let refined = pin().refined(by: first)
    #expect(refined.measured == first)
    #expect(choose(refined, [reading("gpsd", fix(Samples.porto))]).taken?.id == "manual")
    #expect(choose(refined, [reading("gpsd", fix(Samples.lisbon))]).isPinLeft)
  }

  @Test func `a pin takes a far better measurement of the same place, and no other`() {
    let rough = fix(Samples.porto, age: 50, accuracy: 2000)
    let near = Samples.coordinate(Samples.porto.latitude + 0.005, Samples.porto.longitude)
    let held = pin(measured: rough)
    #expect(held.refined(by: fix(near, accuracy: 900)).measured?.coordinate == near)
    #expect(held.refined(by: fix(near, accuracy: 1100)) == held)
    #expect(held.refined(by: fix(Samples.lisbon)) == held)
    let timed = pin(until: 60)
    #expect(timed.refined(by: rough) == timed)
    var left = pin()
    left.isLeft = true
    #expect(left.refined(by: rough) == left)
  }

  @Test func `a fix that tells a region only displaces nothing and ends no pin`() {
    func region(_ accuracy: Double) -> LocationReading {
      reading("geoclue", fix(Samples.porto, accuracy: accuracy, source: "geoclue"))
    }
    let choice = choose(nil, [region(25_000)])
    #expect(choice.fix == nil)
    #expect(verdict("geoclue", in: choice) == .tooCoarse)
    #expect(choose(nil, [region(5001)]).fix == nil)
    #expect(choose(nil, [region(5000)]).taken?.id == "geoclue")
    // An older position is better than none.
    let known = choose(nil, [region(25_000)], elsewhere: fix(Samples.lisbon, age: 900))
    #expect(known.fix?.coordinate == Samples.lisbon)
    #expect(!choose(pin(measured: fix(Samples.lisbon)), [region(25_000)]).isPinLeft)
    // The place before it is still the last known one, also of the same source.
    var lost = region(30)
    lost.fix = fix(Samples.lisbon, accuracy: 25_000, source: "geoclue")
    #expect(choose(nil, [lost]).fix?.coordinate == Samples.porto)
    lost.fix = nil
    #expect(choose(nil, [lost]).fix == nil)
    // The next source by rank counts instead.
    #expect(
      choose(nil, [region(25_000), reading("other", fix(Samples.lisbon))]).taken?.id == "other")
  }

  @Test func `a pin that was left does not come back when the source falls silent`() {
    var left = pin()
    left.isLeft = true
    let choice = choose(
      left, [reading("gpsd", fix(Samples.porto, age: 40), state: .unavailable("gone"))])
    #expect(choice.fix?.coordinate == Samples.porto)
    #expect(choice.taken?.verdict == .lastKnown(from: "gpsd"))
  }

  @Test func `a newer position of another client ends a pin without a time`() {
    let newer = fix(Samples.porto, age: 99, source: "phone")
    #expect(choose(pin(), elsewhere: newer).fix == newer)
    #expect(verdict("manual", in: choose(pin(), elsewhere: newer)) == .replaced)
    let older = fix(Samples.porto, age: 101, source: "phone")
    #expect(choose(pin(), elsewhere: older).taken?.id == "manual")
    #expect(choose(pin(until: 60), elsewhere: newer).taken?.id == "manual")
  }

  @Test func `exactly one candidate is taken, and each says why`() {
    for pin in [nil, pin(), pin(until: 60), pin(until: -60)] {
      for state in [LocationSourceState.running, .unavailable("gone"), .paused("45 s")] {
        for elsewhere in [nil, fix(Samples.porto, age: 50)] {
          let choice = choose(
            pin, [reading("gpsd", fix(Samples.porto), state: state), reading("geoclue", nil)],
            elsewhere: elsewhere)
          #expect(choice.candidates.count { $0.verdict.isTaken } == 1)
          #expect(choice.taken?.fix == choice.fix)
          #expect(choice.candidates.allSatisfy { !$0.verdict.sentence(at: now).isEmpty })
        }
      }
    }
  }

  @Test func `a pin says how long it holds yet`() {
    #expect(
      LocationVerdict.pinned(until: now.advanced(by: .seconds(61))).sentence(at: now)
        == "set by you for 2 minutes more")
    #expect(
      LocationVerdict.pinned(until: now.advanced(by: .seconds(7201))).sentence(at: now)
        == "set by you for 3 hours more")
  }
}
