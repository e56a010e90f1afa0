import Glibc
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct GeoClueSessionTests {
  private typealias Action = GeoClueSession.Action

  private static let client = "/org/freedesktop/GeoClue2/Client/1"
  private let now = Samples.time

  private func reply(_ arguments: [BusValue] = [], _ values: [String: BusValue] = [:]) -> BusMessage
  {
    BusMessage(tag: 1, values: values, arguments: arguments)
  }

  private func failure(_ code: Int32, _ text: String = "no") -> BusMessage {
    BusMessage(tag: 1, problem: BusProblem(code: code), arguments: [.text(text)])
  }

  private func location(_ metres: Double = 0, accuracy: Double = 20) -> BusMessage {
    reply(
      [],
      [
        "Latitude": .real(Samples.lisbon.latitude + metres / 111_195),
        "Longitude": .real(Samples.lisbon.longitude), "Accuracy": .real(accuracy),
      ])
  }

  private func told(_ actions: [Action]) -> LocationSourceState? {
    actions.lazy.compactMap { if case .report(.state(let state)) = $0 { state } else { nil } }.last
  }

  private func measured(_ actions: [Action]) -> LocationFix? {
    actions.lazy.compactMap { if case .report(.fix(let fix)) = $0 { fix } else { nil } }.first
  }

  private func at(_ seconds: Int) -> WireTime { now.advanced(by: .seconds(seconds)) }

  /// A session whose client was started.
  private func started(_ pace: LocationPace = .continuous, level: Int64? = 8) -> GeoClueSession {
    var session = GeoClueSession(pace: pace)
    _ = session.connected()
    _ = session.serviceIsThere(level: level)
    _ = session.answered(.getClient, reply([.text(Self.client)]), at: now)
    _ = session.answered(.start(Self.client), reply(), at: now)
    return session
  }

  private func locate(
    _ session: inout GeoClueSession, _ message: BusMessage, at time: WireTime? = nil
  ) -> [Action] {
    session.answered(.location("/l"), message, at: time ?? now)
  }

  // MARK: - Start

  @Test func `a client is made, described and started before it is listened to`() {
    var session = GeoClueSession(pace: .continuous)
    #expect(
      session.connected() == [
        .report(.state(.searching("asking GeoClue"))), .call(.getClient), .wake(after: .seconds(5)),
      ])
    #expect(session.located("/l") == [])
    #expect(
      session.answered(.getClient, reply([.text(Self.client)]), at: now) == [
        .call(.set("DesktopId", .text("rally"), of: Self.client)),
        .call(.set("RequestedAccuracyLevel", .number(8), of: Self.client)),
        .call(.set("DistanceThreshold", .number(0), of: Self.client)),
        .call(.set("TimeThreshold", .number(0), of: Self.client)),
        .call(.start(Self.client)), .wake(after: .seconds(5)),
      ])
    #expect(
      session.answered(.start(Self.client), reply(), at: now) == [
        .report(.state(.searching("no position yet"))), .wake(after: nil),
      ])
    #expect(session.located("/l") == [.call(.location("/l"))])
    let actions = locate(&session, location())
    #expect(told(actions) == .running)
    #expect(measured(actions)?.coordinate == Samples.lisbon)
    #expect(measured(actions)?.source == "geoclue")
    #expect(session.end() == [.stop(Self.client), .deleteClient(Self.client)])
  }

  @Test func `only getting a client starts GeoClue, and what waits for a person has no limit`() {
    for call: GeoClueCall in [
      .set("DesktopId", .text("rally"), of: "/c"), .stop("/c"), .deleteClient("/c"),
      .activity("/c"), .location("/l"),
    ] {
      #expect(!call.form.startsService && !call.form.waitsForPermission, "\(call)")
    }
    #expect(GeoClueCall.getClient.form.startsService)
    #expect(GeoClueCall.getClient.form.waitsForPermission)
    #expect(!GeoClueCall.start("/c").form.startsService)
    #expect(GeoClueCall.start("/c").form.waitsForPermission)
  }

  // MARK: - Refusals

  @Test func `a refusal says who refuses and what to do, and is tried again ever more rarely`() {
    var session = GeoClueSession(pace: .continuous)
    _ = session.connected()
    _ = session.answered(.getClient, reply([.text(Self.client)]), at: now)
    let refused = session.answered(
      .start(Self.client), failure(EACCES, "Geolocation disabled for\u{1b}[2J UID 1000"), at: now)
    let state = told(refused)
    #expect(state?.name == "denied")
    #expect(state?.detail?.contains("Geolocation disabled for") == true)
    #expect(state?.detail?.contains("/etc/geoclue/geoclue.conf") == true)
    #expect(state?.detail?.unicodeScalars.contains { $0.value < 32 } == false)
    #expect(refused.last == .wake(after: .seconds(1)))
    // What is known holds until the attempt has an outcome.
    #expect(session.woke() == [.call(.getClient), .wake(after: .seconds(5))])
    #expect(
      session.answered(.getClient, failure(EACCES), at: now).last == .wake(after: .seconds(2)))
  }

  @Test func `without an agent GeoClue does not answer, which is told, and a late answer is taken`()
  {
    var session = GeoClueSession(pace: .continuous)
    _ = session.connected()
    _ = session.serviceIsThere(level: 8)
    #expect(told(session.woke())?.name == "denied")
    let late = session.answered(.getClient, reply([.text(Self.client)]), at: now)
    #expect(late.contains(.call(.start(Self.client))))
    #expect(
      told(session.woke()) == .denied("GeoClue waits until somebody allows it on the desktop"))
    #expect(
      told(session.answered(.start(Self.client), reply(), at: now)) == .searching("no position yet")
    )
  }

  @Test func `a machine without GeoClue is not asked again until it has one`() {
    var session = GeoClueSession(pace: .continuous)
    _ = session.connected()
    #expect(
      session.answered(.getClient, failure(EHOSTUNREACH), at: now) == [
        .report(.state(.unavailable("this machine has no GeoClue"))), .wake(after: nil),
      ])
    #expect(session.serviceIsThere(level: 8).contains(.call(.getClient)))
  }

  @Test func `GeoClue that hangs or answers nonsense is told`() {
    var session = GeoClueSession(pace: .continuous)
    _ = session.connected()
    #expect(told(session.woke()) == .unavailable("GeoClue does not answer"))
    for value in [BusValue.integer(7), .text("client"), .flag(true)] {
      var session = GeoClueSession(pace: .continuous)
      _ = session.connected()
      let actions = session.answered(.getClient, reply([value]), at: now)
      #expect(told(actions)?.name == "unavailable")
      #expect(actions.last == .wake(after: .seconds(1)))
    }
  }

  // MARK: - What Changes

  @Test func `location that is off for the system is told, and one that is switched on again`() {
    var session = started(level: 0)
    #expect(told(session.serviceIsThere(level: 8)) == .searching("no position yet"))
    _ = locate(&session, location())
    #expect(session.serviceIsThere(level: 8) == [])
    #expect(told(session.serviceIsThere(level: 0))?.name == "unavailable")
    #expect(told(locate(&session, location())) == .running)
  }

  @Test func `the desktop's switch is asked for, not believed`() {
    var session = started()
    _ = locate(&session, location())
    #expect(session.activityChanged() == [.call(.activity(Self.client))])
    let off = session.answered(
      .activity(Self.client), reply([], ["Active": .flag(false)]), at: now)
    #expect(told(off)?.name == "denied")
    // Another program's use of GeoClue changes nothing.
    #expect(session.serviceIsThere(level: 8) == [])
    let on = session.answered(.activity(Self.client), reply([], ["Active": .flag(true)]), at: now)
    #expect(told(on) == .searching("no position yet"))
    #expect(session.answered(.activity(Self.client), reply(), at: now) == [])
  }

  @Test func `GeoClue that ends is started again, and so after the bus was away`() {
    var session = started()
    _ = locate(&session, location())
    #expect(
      session.serviceIsAbsent() == [
        .report(.state(.unavailable("GeoClue has ended"))), .wake(after: .seconds(1)),
      ])
    #expect(session.serviceIsAbsent() == [])
    #expect(session.woke().contains(.call(.getClient)))
    #expect(
      session.answered(.getClient, reply([.text("/c2")]), at: now).contains(.call(.start("/c2"))))
    #expect(
      session.busEnded() == [
        .report(.state(.unavailable("the system bus has ended"))), .wake(after: nil),
      ])
    #expect(session.connected().contains(.call(.getClient)))
    // An answer to the client before does not start this one.
    #expect(session.answered(.start("/c2"), reply(), at: now) == [])
  }

  @Test func `garbage in place of a position falls back, and a location that is gone does not`() {
    var session = started()
    _ = locate(&session, location())
    #expect(locate(&session, failure(EBADR)) == [])
    #expect(told(locate(&session, reply()))?.name == "unavailable")
    #expect(told(locate(&session, location())) == .running)
    #expect(told(locate(&session, failure(ETIMEDOUT))) == .unavailable("GeoClue: no answer"))
  }

  // MARK: - Pace

  @Test func `while power is saved it measures once per interval and rests in between`() {
    var session = started(.every(.seconds(45)))
    let first = locate(&session, location())
    #expect(told(first) == .paused("measures every 45 s"))
    #expect(measured(first) != nil)
    #expect(first.suffix(2) == [.call(.stop(Self.client)), .wake(after: .seconds(45))])
    #expect(session.located("/l") == [])
    #expect(session.activityChanged() == [])
    #expect(session.woke() == [.call(.start(Self.client)), .wake(after: .seconds(5))])
    // A round without a position is told.
    _ = session.answered(.start(Self.client), reply(), at: at(45))
    let none = session.woke()
    #expect(told(none)?.name == "unavailable")
    #expect(none.suffix(2) == [.call(.stop(Self.client)), .wake(after: .seconds(45))])
  }

  @Test func `an inaccurate position waits for a better one before it rests`() {
    var session = started(.every(.seconds(45)))
    let coarse = locate(&session, location(accuracy: 25_000))
    #expect(measured(coarse) != nil)
    #expect(!coarse.contains(.call(.stop(Self.client))))
    #expect(locate(&session, location(accuracy: 30)).contains(.call(.stop(Self.client))))
    _ = session.woke()
    _ = session.answered(.start(Self.client), reply(), at: at(45))
    _ = locate(&session, location(accuracy: 25_000), at: at(46))
    #expect(session.woke() == [.call(.stop(Self.client)), .wake(after: .seconds(45))])
  }

  @Test func `a receiver that reports every second rests while the device stands still`() {
    var session = started()
    for second in 0..<60 {
      #expect(!locate(&session, location(), at: at(second)).contains(.call(.stop(Self.client))))
    }
    #expect(
      locate(&session, location(), at: at(60)).suffix(2)
        == [.call(.stop(Self.client)), .wake(after: .seconds(15))])
    #expect(session.woke().first == .call(.start(Self.client)))
    #expect(
      session.answered(.start(Self.client), reply(), at: at(75)) == [.wake(after: .seconds(30))])
    #expect(locate(&session, location(), at: at(75)).contains(.call(.stop(Self.client))))
    // Movement keeps it on.
    _ = session.woke()
    _ = session.answered(.start(Self.client), reply(), at: at(90))
    let moved = locate(&session, location(100), at: at(90))
    #expect(measured(moved) != nil && !moved.contains(.call(.stop(Self.client))))
    #expect(session.woke() == [])
  }

  @Test func `a source that reports changes only needs no rest`() {
    var session = started()
    for minute in 0..<15 {
      let actions = locate(&session, location(), at: at(60 * minute))
      #expect(!actions.contains(.call(.stop(Self.client))))
    }
  }
}
