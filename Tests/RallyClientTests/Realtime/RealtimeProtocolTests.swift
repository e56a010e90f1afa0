import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyClient
@testable import RallySystem

/// Drives the rules by a clock that the test moves.
private struct Bench {
  var rules = RealtimeProtocol(random: { 0.5 })
  var time = RealtimeProtocol.Time(monotonic: .seconds(100), wall: Samples.time)
  var actions: [RealtimeProtocol.Action] = []

  mutating func handle(_ event: RealtimeProtocol.Event) {
    actions = rules.handle(event, at: time)
  }

  /// Lets time pass, and rings at each deadline on the way.
  mutating func pass(_ duration: Duration) -> [RealtimeProtocol.Action] {
    let end = time.monotonic + duration
    var all: [RealtimeProtocol.Action] = []
    while let deadline = rules.deadline, deadline <= end {
      time.wall = time.wall.advanced(by: deadline - time.monotonic)
      time.monotonic = deadline
      handle(.timer)
      all += actions
      if rules.deadline == deadline { break }
    }
    time.wall = time.wall.advanced(by: end - time.monotonic)
    time.monotonic = end
    return all
  }

  var token: AccessToken {
    AccessToken(Samples.session(expiresIn: 3600, at: Samples.time))
  }

  mutating func connect(channel: Bool = true) {
    handle(.start)
    if channel {
      handle(
        .join(
          topic: RealtimeTopic.friendships,
          ChannelConfiguration(changes: [ChangeBinding(table: "friendships")])))
    }
    handle(.opened)
    answerHeartbeat()
    handle(.token(token))
  }

  mutating func answerHeartbeat() {
    guard let ref = sent(.heartbeat)?.ref ?? lastHeartbeat else { return }
    handle(.received(RealtimeMessage(topic: RealtimeTopic.phoenix, event: .reply, ref: ref)))
  }

  var lastHeartbeat: JSONValue?

  /// A proxy's time runs out; the next connection is answered.
  mutating func closeAfterSilence(_ silence: Duration) {
    #expect(pass(silence).sent(.heartbeat).isEmpty)
    handle(.closed)
    _ = pass(.seconds(3))
    handle(.opened)
    answerHeartbeat()
  }

  mutating func becomeLive() {
    guard let join = sent(.join) else { return }
    handle(
      .received(
        RealtimeMessage(
          topic: join.topic, event: .reply, payload: ["status": "ok", "response": [:]],
          ref: join.ref)))
    handle(
      .received(
        RealtimeMessage(
          topic: join.topic, event: .system,
          payload: [
            "status": "ok", "extension": "postgres_changes",
            "message": .string(RealtimeTopic.subscribedMessage),
          ])))
  }

  func sent(_ event: RealtimeEvent) -> RealtimeMessage? { actions.sent(event).last }
}

extension [RealtimeProtocol.Action] {
  fileprivate func sent(_ event: RealtimeEvent) -> [RealtimeMessage] {
    compactMap {
      if case .send(let message) = $0, message.event == event { message } else { nil }
    }
  }

  fileprivate var links: [LinkState] {
    compactMap { if case .link(let state) = $0 { state } else { nil } }
  }
}

@Suite struct RealtimeProtocolTests {
  private let topic = RealtimeTopic.friendships

  @Test func `a channel is live only after the server subscribed to the database`() throws {
    var bench = Bench()
    bench.connect()
    let join = try #require(bench.sent(.join))
    #expect(join.payload["access_token"] == "access-1")
    #expect(join.joinRef == join.ref)
    bench.handle(
      .received(
        RealtimeMessage(
          topic: topic, event: .reply, payload: ["status": "ok", "response": [:]], ref: join.ref)
      ))
    #expect(bench.actions.isEmpty)
    bench.handle(
      .received(
        RealtimeMessage(
          topic: topic, event: .system,
          payload: ["status": "ok", "extension": "postgres_changes"])))
    #expect(bench.actions == [.deliver(topic: topic, .live), .link(.live)])
  }

  @Test func `a heartbeat goes out each 40 seconds`() {
    var bench = Bench()
    bench.connect()
    bench.becomeLive()
    #expect(bench.pass(.seconds(39)).sent(.heartbeat).isEmpty)
    let actions = bench.pass(.seconds(1))
    #expect(actions.sent(.heartbeat).count == 1)
    #expect(actions.links.isEmpty)
  }

  @Test func `a missed reply calls the link stale and then connects anew`() {
    // given
    var bench = Bench()
    bench.connect()
    bench.becomeLive()
    // when: the heartbeat at 40 s stays without an answer
    #expect(bench.pass(.seconds(44)).links.isEmpty)
    let first = bench.pass(.seconds(1))
    #expect(first.links == [.stale])
    #expect(bench.pass(.seconds(14)).links.isEmpty)
    let second = bench.pass(.seconds(1))
    // then
    #expect(second.contains(.close))
    #expect(second.contains(.deliver(topic: topic, .gap)))
    #expect(second.contains(.open))
    #expect(second.links == [.connecting])
  }

  @Test func `attempts wait longer after each failure, up to thirty seconds`() {
    var bench = Bench()
    bench.handle(.start)
    var waits: [Duration] = []
    for _ in 0..<8 {
      bench.handle(.openFailed("connection refused"))
      let before = bench.time.monotonic
      waits.append((bench.rules.deadline ?? before) - before)
      _ = bench.pass(waits.last ?? .zero)
    }
    #expect(waits == [1, 2, 5, 10, 20, 30, 30, 30].map { .seconds($0) })
  }

  private static func firstWait(random: @escaping @Sendable () -> Double) -> Duration {
    var rules = RealtimeProtocol(random: random)
    let now = RealtimeProtocol.Time(monotonic: .zero, wall: Samples.time)
    _ = rules.handle(.start, at: now)
    _ = rules.handle(.openFailed("x"), at: now)
    return rules.deadline ?? .zero
  }

  @Test func `jitter spreads an attempt by half each way`() {
    for (random, expected) in [(0.0, 500), (1.0, 1500)] {
      let wait = Self.firstWait { random }
      #expect(abs((wait - .milliseconds(expected)) / .microseconds(1)) < 2)
    }
  }

  @Test func `two thousand clients that lose their server come back over a second`() {
    var tenths = Array(repeating: 0, count: 10)
    for client in 0..<2000 {
      let wait = Self.firstWait {
        var numbers = SeededGenerator(seed: UInt64(client))
        return .random(in: 0..<1, using: &numbers)
      }
      tenths[min(9, max(0, Int((wait - .milliseconds(500)) / .milliseconds(100))))] += 1
    }
    // A fair share is 200.
    #expect(tenths.allSatisfy { (150...250).contains($0) }, "\(tenths)")
  }

  @Test func `while the next attempt runs the link stays offline, with its reason`() {
    var bench = Bench()
    bench.handle(.start)
    bench.handle(.openFailed("connection refused"))
    let retryAt = Samples.time.advanced(by: .seconds(1))
    #expect(
      bench.actions.links == [.offline(retryAt: retryAt, reason: "connection refused")])
    #expect(bench.pass(.seconds(1)) == [.open])
  }

  @Test func `a rejoined channel says live again so that lists are fetched`() {
    var bench = Bench()
    bench.connect()
    bench.becomeLive()
    bench.handle(.closed)
    #expect(bench.actions.contains(.deliver(topic: topic, .gap)))
    _ = bench.pass(.seconds(1))
    bench.handle(.opened)
    #expect(bench.sent(.join) != nil)
    bench.becomeLive()
    #expect(bench.actions.contains(.deliver(topic: topic, .live)))
  }

  @Test func `a machine that slept connects anew at once`() {
    var bench = Bench()
    bench.connect()
    bench.becomeLive()
    bench.time.slept += .seconds(3600)
    bench.time.wall = bench.time.wall.advanced(by: .seconds(3600))
    bench.time.monotonic += .seconds(1)
    bench.handle(.timer)
    #expect(bench.actions.contains(.close))
    #expect(bench.actions.contains(.open))
    #expect(bench.actions.contains(.deliver(topic: topic, .gap)))
    #expect(bench.actions.contains(.woke))
  }

  @Test func `a machine that slept does not wait for the rest of the backoff`() {
    var bench = Bench()
    bench.handle(.start)
    for _ in 0..<6 {
      bench.handle(.openFailed("x"))
      _ = bench.pass((bench.rules.deadline ?? .zero) - bench.time.monotonic)
    }
    bench.handle(.openFailed("x"))
    bench.time.slept += .seconds(60)
    bench.time.wall = bench.time.wall.advanced(by: .seconds(60))
    bench.handle(.timer)
    #expect(bench.actions.contains(.open))
  }

  @Test(arguments: [-18_000, -1800, 1800, 18_000])
  func `a clock that is set leaves the connection as it is`(seconds: Int) {
    var bench = Bench()
    bench.connect()
    bench.becomeLive()
    bench.time.wall = bench.time.wall.advanced(by: .seconds(seconds))
    bench.time.monotonic += .seconds(1)
    bench.handle(.timer)
    #expect(bench.actions.isEmpty)
    #expect(bench.pass(.seconds(40)).sent(.heartbeat).count == 1)
  }

  @Test func `a renewed token is pushed to joined channels`() throws {
    var bench = Bench()
    bench.connect()
    bench.becomeLive()
    bench.handle(.token(AccessToken(Samples.session(token: "access-2"))))
    #expect(try #require(bench.sent(.accessToken)).payload["access_token"] == "access-2")
  }

  @Test func `a token is asked for thirty seconds before its end, and again if that failed`() {
    var bench = Bench()
    bench.connect()
    var asked: [Duration] = []
    let start = bench.time.monotonic
    while bench.time.monotonic < start + .seconds(3595) {
      let actions = bench.pass(.seconds(5))
      if let ref = actions.sent(.heartbeat).last?.ref {
        bench.handle(.received(RealtimeMessage(topic: "phoenix", event: .reply, ref: ref)))
      }
      if actions.contains(.renewToken(isRejected: false)) {
        asked.append(bench.time.monotonic - start)
        bench.handle(.tokenFailed)
      }
    }
    #expect(asked == [.seconds(3570), .seconds(3580), .seconds(3590)])
  }

  @Test func `a channel that is refused for its token joins again with a new one`() throws {
    var bench = Bench()
    bench.connect()
    let join = try #require(bench.sent(.join))
    bench.handle(
      .received(
        RealtimeMessage(
          topic: topic, event: .reply,
          payload: [
            "status": "error",
            "response": ["reason": "InvalidJWTToken: Token has expired 5 seconds ago"],
          ], ref: join.ref)))
    #expect(bench.actions.contains(.renewToken(isRejected: true)))
    bench.handle(.token(AccessToken(Samples.session(token: "access-2"))))
    #expect(try #require(bench.sent(.join)).payload["access_token"] == "access-2")
  }

  @Test func `a channel that the server closes is joined again`() throws {
    var bench = Bench()
    bench.connect()
    let ref = try #require(bench.sent(.join)).ref
    bench.becomeLive()
    bench.handle(.received(RealtimeMessage(topic: topic, event: .close, ref: ref)))
    #expect(bench.actions.contains(.deliver(topic: topic, .gap)))
    #expect(bench.pass(.seconds(1)).sent(.join).count == 1)
  }

  @Test func `a channel that is refused again waits longer, until a join is accepted`() throws {
    var bench = Bench()
    bench.connect()
    var join = try #require(bench.sent(.join))
    for seconds in [1, 2, 5] {
      bench.handle(
        .received(
          RealtimeMessage(
            topic: topic, event: .reply, payload: ["status": "error"], ref: join.ref)))
      #expect(bench.pass(.seconds(seconds) - .milliseconds(1)).sent(.join).isEmpty)
      join = try #require(bench.pass(.milliseconds(1)).sent(.join).last)
    }
    bench.becomeLive()
    bench.handle(.received(RealtimeMessage(topic: topic, event: .close)))
    #expect(bench.pass(.seconds(1)).sent(.join).count == 1)
  }

  @Test func `a join without an answer is sent again after ten seconds`() {
    var bench = Bench()
    bench.connect()
    #expect(bench.pass(.seconds(9)).sent(.join).isEmpty)
    #expect(bench.pass(.seconds(1)).sent(.join).count == 1)
  }

  @Test func `a link whose channels are left is polling and keeps its heartbeat`() {
    var bench = Bench()
    bench.connect()
    bench.becomeLive()
    bench.handle(.leave(topic: topic))
    #expect(bench.sent(.leave)?.topic == topic)
    #expect(bench.actions.links == [.polling])
    #expect(bench.pass(.seconds(40)).sent(.heartbeat).count == 1)
  }

  @Test func `the answer to a leave does not disturb a channel that was joined again`() throws {
    var bench = Bench()
    bench.connect()
    let old = try #require(bench.sent(.join)).ref
    bench.becomeLive()
    bench.handle(.leave(topic: topic))
    bench.handle(
      .join(topic: topic, ChannelConfiguration(changes: [ChangeBinding(table: "friendships")])))
    bench.becomeLive()
    bench.handle(.received(RealtimeMessage(topic: topic, event: .close, ref: old)))
    #expect(bench.actions.isEmpty)
  }

  @Test func `a retry by hand connects at once and starts the backoff again`() {
    var bench = Bench()
    bench.handle(.start)
    for _ in 0..<5 {
      bench.handle(.openFailed("x"))
      _ = bench.pass((bench.rules.deadline ?? .zero) - bench.time.monotonic)
    }
    bench.handle(.openFailed("x"))
    bench.handle(.retryNow)
    #expect(bench.actions.contains(.open))
    bench.handle(.openFailed("x"))
    #expect((bench.rules.deadline ?? .zero) - bench.time.monotonic == .seconds(1))
  }

  @Test func `an open link that is doubted has five seconds for a sign of life`() {
    var bench = Bench()
    bench.connect()
    bench.becomeLive()
    bench.handle(.retryNow)
    #expect(bench.sent(.heartbeat) != nil)
    let actions = bench.pass(.seconds(5))
    #expect(actions.contains(.close))
    #expect(actions.contains(.open))
  }

  @Test func `nothing is joined before there is a token`() {
    var bench = Bench()
    bench.handle(.start)
    bench.handle(.join(topic: topic, ChannelConfiguration()))
    bench.handle(.opened)
    #expect(bench.sent(.join) == nil)
    #expect(bench.actions.contains(.renewToken(isRejected: false)))
    bench.handle(.token(bench.token))
    #expect(bench.sent(.join) != nil)
  }

  @Test func `a stopped connection waits for nothing`() {
    var bench = Bench()
    bench.connect()
    bench.becomeLive()
    bench.handle(.stop)
    #expect(bench.actions.contains(.close))
    #expect(bench.actions.links == [.signedOut])
    #expect(bench.rules.deadline == nil)
  }
  @Test func `a link that is closed after a silence beats before that silence, for a while`() {
    var bench = Bench()
    bench.connect(channel: false)
    bench.closeAfterSilence(.seconds(30))
    for _ in 0..<29 {
      #expect(bench.pass(.seconds(21)).sent(.heartbeat).count == 1)
      bench.answerHeartbeat()
    }
    // Ten minutes later it may have been chance.
    #expect(bench.pass(.seconds(39)).sent(.heartbeat).isEmpty)
  }

  @Test func `a link that is closed twice after the same silence beats before it for good`() {
    var bench = Bench()
    bench.connect(channel: false)
    bench.closeAfterSilence(.seconds(30))
    for _ in 0..<29 {
      _ = bench.pass(.seconds(21))
      bench.answerHeartbeat()
    }
    bench.closeAfterSilence(.seconds(30))
    for _ in 0..<60 {
      #expect(bench.pass(.seconds(21)).sent(.heartbeat).count == 1)
      bench.answerHeartbeat()
    }
  }

  @Test func `a link that is closed soon keeps the interval`() {
    var bench = Bench()
    bench.connect(channel: false)
    for _ in 0..<3 { bench.closeAfterSilence(.seconds(5)) }
    #expect(bench.pass(.seconds(39)).sent(.heartbeat).isEmpty)
  }
}
