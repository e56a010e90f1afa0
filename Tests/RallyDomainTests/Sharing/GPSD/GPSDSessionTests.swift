import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct GPSDSessionTests {
  private let now = Samples.time
  /// With a heartbeat of the realtime connection, which comes every 40 s.
  private static let pollLater = GPSDSession.Action.wake(
    after: .seconds(15), tolerance: .seconds(30))
  private let rest = LocationPace.every(.seconds(45))

  private func tpv(_ fields: String) -> [UInt8] {
    Array(#"{"class":"TPV","device":"/dev/pts/1",\#(fields)}"#.utf8)
  }

  private var fixLine: [UInt8] {
    tpv(
      #""mode":3,"lat":51.0503,"lon":3.7205,"track":45.0,"speed":2.006,"eph":17.1,"epx":9.0"#)
  }

  private func measured(_ actions: [GPSDSession.Action]) -> LocationFix? {
    actions.lazy.compactMap { if case .report(.fix(let fix)) = $0 { fix } else { nil } }.first
  }

  private func stateTold(_ actions: [GPSDSession.Action]) -> LocationSourceState? {
    actions.lazy.compactMap { if case .report(.state(let state)) = $0 { state } else { nil } }.last
  }

  private func connected(_ pace: LocationPace = .continuous) -> GPSDSession {
    var session = GPSDSession(pace: pace)
    _ = session.connected()
    return session
  }

  // MARK: - Reports

  @Test func `a report with a fix is one, as gpsd measured it`() throws {
    var session = connected()
    let actions = session.receive(fixLine, at: now)
    let fix = try #require(measured(actions))
    #expect(fix.coordinate == Samples.coordinate(51.0503, 3.7205))
    #expect(fix.accuracyMetres == 17.1)
    #expect(fix.speed == 2.006)
    #expect(fix.course == 45)
    #expect(fix.source == "gpsd")
    #expect(stateTold(actions) == .running)
    #expect(actions.last == .wake(after: .seconds(10)))
  }

  @Test func `a missing time is that of the arrival, and so is one of a wrong clock`() {
    for (time, expected) in [
      (nil, 0), ("2026-01-02T03:04:05.000Z", 0), (now.advanced(by: .seconds(-20)).zulu, -20),
      (now.advanced(by: .seconds(20)).zulu, 0), (now.advanced(by: .seconds(-31)).zulu, 0),
      ("yesterday", 0),
    ] as [(String?, Int)] {
      var session = connected()
      let field = time.map { #","time":"\#($0)""# } ?? ""
      let fix = measured(session.receive(tpv(#""mode":2,"lat":51,"lon":3"# + field), at: now))
      #expect(fix?.recordedAt == now.advanced(by: .seconds(expected)), "\(time ?? "none")")
    }
  }

  @Test(arguments: [
    (#""eph":17.1,"epx":30,"epy":40"#, 17.1), (#""epx":3.5,"epy":9.25"#, 9.25),
    (#""epx":3.5"#, 3.5), (#""alt":12"#, nil), (#""eph":-1"#, nil), (#""eph":"3""#, nil),
  ])
  func `the accuracy is the error of the position, or the larger of its parts`(
    fields: String, expected: Double?
  ) {
    var session = connected()
    let line = tpv(#""mode":3,"lat":51,"lon":3,"# + fields)
    #expect(measured(session.receive(line, at: now))?.accuracyMetres == expected)
  }

  @Test(arguments: [
    #""mode":1,"lat":51,"lon":3"#, #""mode":0"#, #""mode":3"#, #""mode":3,"lat":51"#,
    #""lat":51,"lon":3"#, #""mode":3,"lat":91,"lon":3"#, #""mode":3,"lat":51,"lon":181"#,
    #""mode":3,"lat":"51","lon":3"#, #""mode":3,"lat":1e999,"lon":3"#,
    #""mode":"3","lat":51,"lon":3"#, #""mode":3,"lat":0,"lon":0"#,
    #""mode":2,"lat":0.0,"lon":-0.0"#,
    #""mode":3,"lat":51,"lon":3,"eph":-1"#, #""mode":3,"lat":51,"lon":3,"epx":-2.5"#,
  ])
  func `without a fix there is no position`(fields: String) {
    var session = connected()
    let actions = session.receive(tpv(fields), at: now)
    #expect(measured(actions) == nil)
    if let state = stateTold(actions) { #expect(state.name == "searching") }
  }

  @Test func `satellites are counted while there is no fix, and not told once there is`() {
    var session = connected()
    _ = session.receive(tpv(#""mode":1"#), at: now)
    let sky = Array(#"{"class":"SKY","nSat":9,"uSat":3,"satellites":[]}"#.utf8)
    #expect(
      stateTold(session.receive(sky, at: now)) == .searching("no fix yet, 3 of 9 satellites used"))
    _ = session.receive(fixLine, at: now)
    #expect(session.receive(sky, at: now) == [])
  }

  @Test func `a device that moves again within the minute is listened to all the time`() {
    var session = connected()
    let told = (0..<180).filter { second in
      // 22 m to and fro.
      let latitude = second % 100 < 50 ? "51.0503" : "51.0505"
      let line = tpv(#""mode":3,"lat":\#(latitude),"lon":3.7205,"speed":1.0,"eph":17.1"#)
      let actions = session.receive(line, at: now.advanced(by: .seconds(second)))
      #expect(actions.last == .wake(after: .seconds(10)))
      return measured(actions) != nil
    }
    #expect(told == [0, 50, 100, 150])
  }

  // MARK: - Several Receivers

  private let two = Array(
    #"{"class":"DEVICES","devices":[{"path":"/dev/ttyA"},{"path":"/dev/ttyB"}]}"#.utf8)

  private func report(_ device: String, _ latitude: Double?, eph: Double = 5) -> [UInt8] {
    let fix = latitude.map { #""mode":3,"lat":\#($0),"lon":3.7205,"eph":\#(eph)"# }
    return Array(
      #"{"class":"TPV","device":"/dev/tty\#(device)",\#(fix ?? #""mode":1"#)}"#.utf8)
  }

  @Test func `a receiver without a fix takes nothing away from one with a fix`() {
    var session = connected()
    _ = session.receive(two, at: now)
    var told: [LocationSourceState] = []
    for second in 0..<30 {
      let time = now.advanced(by: .seconds(second))
      told += [stateTold(session.receive(report("A", 51.0503), at: time))].compactMap(\.self)
      let other = session.receive(report("B", nil), at: time)
      #expect(stateTold(other) == nil && other.last == .wake(after: .seconds(10)))
    }
    #expect(told == [.running])
    // Once the one with the fix is silent, the other's word counts.
    let late = session.receive(report("B", nil), at: now.advanced(by: .seconds(40)))
    #expect(stateTold(late) == .searching("no fix yet"))
  }

  @Test func `of two fixes the better one counts, whichever came last`() {
    for order in [["A", "B"], ["B", "A"]] {
      var session = connected()
      _ = session.receive(two, at: now)
      var last: LocationFix?
      for second in 0..<20 {
        let time = now.advanced(by: .seconds(second))
        for device in order {
          let line = device == "A" ? report("A", 51.0503, eph: 5) : report("B", 51.15, eph: 500)
          last = measured(session.receive(line, at: time)) ?? last
        }
      }
      #expect(last?.coordinate.latitude == 51.0503, "\(order)")
      // The better one loses its fix: the other's counts at once.
      let time = now.advanced(by: .seconds(20))
      _ = session.receive(report("A", nil), at: time)
      #expect(
        measured(session.receive(report("B", 51.15, eph: 500), at: time))?.coordinate.latitude
          == 51.15)
    }
  }

  @Test func `a measurement between two rests waits a moment for the better receiver`() {
    var session = connected(rest)
    _ = session.receive(two, at: now)
    #expect(
      session.receive(report("B", 51.15, eph: 500), at: now) == [.wake(after: .seconds(2))])
    #expect(session.receive(report("B", 51.15, eph: 500), at: now.advanced(by: .seconds(1))) == [])
    let both = session.receive(report("A", 51.0503), at: now.advanced(by: .seconds(1)))
    #expect(measured(both)?.coordinate.latitude == 51.0503)
    #expect(both.suffix(2) == [.send(GPSDSession.unwatch), .wake(after: .seconds(45))])
    // One that says nothing is not waited for.
    _ = session.woke()
    _ = session.receive(report("B", 51.15, eph: 500), at: now.advanced(by: .seconds(46)))
    let alone = session.woke()
    #expect(measured(alone)?.coordinate.latitude == 51.15)
    #expect(alone.suffix(2) == [.send(GPSDSession.unwatch), .wake(after: .seconds(45))])
  }

  @Test func `the better of the polled fixes counts`() {
    func polled(_ reports: [[UInt8]]) -> [UInt8] {
      let list = reports.map {
        String(decoding: $0, as: UTF8.self)
          .replacing(#""mode""#, with: #""time":"\#(now.zulu)","mode""#)
      }
      return Array(
        #"{"class":"POLL","time":"\#(now.zulu)","tpv":[\#(list.joined(separator: ","))]}"#.utf8)
    }
    let reports = [report("B", 51.15, eph: 500), report("C", nil), report("A", 51.0503)]
    for order in [reports, reports.reversed()] {
      var session = connected(rest)
      #expect(
        measured(session.receive(polled(order), at: now))?.coordinate.latitude == 51.0503)
    }
  }

  // MARK: - Standing Still

  /// A report at a second of the receiver's clock, which need not be that of this machine.
  private func still(_ second: Int, _ latitude: String = "51.0503") -> [UInt8] {
    let time = now.advanced(by: .seconds(second - 86_400)).zulu
    return tpv(
      #""mode":3,"time":"\#(time)","lat":\#(latitude),"lon":3.7205,"speed":0.1,"eph":17.1"#)
  }

  private func poll(_ second: Int, _ latitude: String = "51.0503") -> [UInt8] {
    let report = String(decoding: still(second, latitude), as: UTF8.self)
    return Array(#"{"class":"POLL","time":"\#(now.zulu)","active":1,"tpv":[\#(report)]}"#.utf8)
  }

  /// A session that was told for a minute that the device stands still.
  private func stillSession() -> GPSDSession {
    var session = connected()
    for second in 0..<60 {
      let actions = session.receive(still(second), at: now.advanced(by: .seconds(second)))
      #expect(actions.last == .wake(after: .seconds(10)))
    }
    let quiet = session.receive(still(60), at: now.advanced(by: .seconds(60)))
    #expect(quiet.suffix(2) == [.send(GPSDSession.hush), Self.pollLater])
    return session
  }

  @Test func `after a still minute gpsd is polled, and says nothing by itself`() {
    var session = stillSession()
    // What was on its way.
    #expect(session.receive(still(61), at: now.advanced(by: .seconds(61))) == [])
    var told: [Int] = []
    for second in stride(from: 75, through: 300, by: 15) {
      let time = now.advanced(by: .seconds(second))
      #expect(session.woke() == [.send(GPSDSession.poll), .wake(after: .seconds(10))])
      let actions = session.receive(poll(second), at: time)
      #expect(actions.last == Self.pollLater)
      if let fix = measured(actions) {
        told.append(second)
        #expect(fix.speed == nil)
      }
    }
    #expect(told == [120, 180, 240, 300])
  }

  @Test func `a movement is noticed by the next poll, and told once gpsd reports its velocity`() {
    var session = stillSession()
    _ = session.woke()
    let moved = session.receive(poll(75, "51.0510"), at: now.advanced(by: .seconds(75)))
    #expect(moved == [.send(GPSDSession.watch), .wake(after: .seconds(10))])
    let actions = session.receive(still(76, "51.0511"), at: now.advanced(by: .seconds(76)))
    #expect(measured(actions) != nil)
    #expect(actions.last == .wake(after: .seconds(10)))
  }

  @Test func `a receiver that stopped, or is gone, is listened to again`() {
    let none = Array(#"{"class":"POLL","time":"\#(now.zulu)","active":0,"tpv":[]}"#.utf8)
    let lost = Array(
      #"{"class":"POLL","time":"\#(now.zulu)","active":1,"tpv":[{"class":"TPV","mode":1}]}"#.utf8)
    for answer in [none, lost, poll(60)] {
      var session = stillSession()
      _ = session.woke()
      #expect(
        session.receive(answer, at: now.advanced(by: .seconds(75)))
          == [.send(GPSDSession.watch), .wake(after: .seconds(10))])
    }
    // gpsd does not answer at all.
    var session = stillSession()
    _ = session.woke()
    let silent = session.woke()
    #expect(stateTold(silent)?.name == "unavailable")
    #expect(silent.suffix(2) == [.send(GPSDSession.watch), .wake(after: .seconds(10))])
  }

  // MARK: - Silence and Devices

  @Test func `ten seconds without a report make the fix stale, and the next one is told at once`() {
    var session = connected()
    _ = session.receive(fixLine, at: now)
    let silent = session.woke()
    #expect(stateTold(silent)?.name == "unavailable")
    #expect(!silent.contains { if case .wake = $0 { true } else { false } })
    let back = session.receive(fixLine, at: now.advanced(by: .seconds(12)))
    #expect(stateTold(back) == .running)
    #expect(measured(back) != nil)
  }

  @Test func `a receiver that is pulled out and put back is told`() {
    var session = connected()
    let devices = #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyUSB0"}]}"#
    #expect(stateTold(session.receive(Array(devices.utf8), at: now)) == .searching("no fix yet"))
    _ = session.receive(fixLine, at: now)
    let gone = #"{"class":"DEVICE","path":"/dev/ttyUSB0","activated":0}"#
    #expect(
      stateTold(session.receive(Array(gone.utf8), at: now)) == .unavailable("gpsd has no receiver"))
    let back = #"{"class":"DEVICE","path":"/dev/ttyUSB0","activated":"2026-11-22T21:31:04.107Z"}"#
    #expect(stateTold(session.receive(Array(back.utf8), at: now)) == .searching("no fix yet"))
    #expect(measured(session.receive(fixLine, at: now)) != nil)
  }

  @Test func `gpsd without a receiver, and another protocol, are told`() {
    var session = connected()
    let none = #"{"class":"DEVICES","devices":[]}"#
    #expect(
      stateTold(session.receive(Array(none.utf8), at: now)) == .unavailable("gpsd has no receiver"))
    let version = #"{"class":"VERSION","release":"2.9\u001b[2J","proto_major":2}"#
    let told = stateTold(session.receive(Array(version.utf8), at: now))
    #expect(told?.name == "unavailable")
    #expect(told?.detail?.unicodeScalars.contains { $0.value < 32 } == false)
  }

  // MARK: - Pace

  @Test func `at the normal level the watch stays on`() {
    var session = GPSDSession(pace: .continuous)
    #expect(
      session.connected() == [.send(GPSDSession.watch), .wake(after: .seconds(10))])
    #expect(
      !session.receive(fixLine, at: now).contains { if case .send = $0 { true } else { false } })
  }

  @Test func `while saving power it polls once per interval and the receiver rests in between`() {
    var session = GPSDSession(pace: rest)
    let start: [GPSDSession.Action] = [
      .send(GPSDSession.watch), .send(GPSDSession.poll), .wake(after: .seconds(30)),
    ]
    #expect(session.connected() == start)
    let first = session.receive(fixLine, at: now)
    #expect(measured(first) != nil)
    #expect(stateTold(first) == .paused("measures every 45 s"))
    #expect(first.suffix(2) == [.send(GPSDSession.unwatch), .wake(after: .seconds(45))])
    // What is on its way then is not taken, so that nothing is sent twice.
    #expect(session.receive(fixLine, at: now.advanced(by: .seconds(1))) == [])
    #expect(session.woke() == start)
    #expect(measured(session.receive(fixLine, at: now.advanced(by: .seconds(46)))) != nil)
  }

  @Test func `a receiver without a fix is switched off after half a minute and tried again`() {
    var session = connected(rest)
    _ = session.receive(tpv(#""mode":1"#), at: now)
    let given = session.woke()
    #expect(stateTold(given)?.name == "unavailable")
    #expect(given.suffix(2) == [.send(GPSDSession.unwatch), .wake(after: .seconds(45))])
    #expect(session.woke().first == .send(GPSDSession.watch))
  }

  @Test func `a polled report counts if it is fresh by gpsd's clock, without its velocity`() {
    func poll(_ age: Int) -> [UInt8] {
      let time = now.advanced(by: .seconds(-age)).zulu
      return Array(
        (#"{"class":"POLL","time":"\#(now.zulu)","active":1,"tpv":[{"class":"TPV","mode":3,"#
          + #""time":"\#(time)","lat":51.0503,"lon":3.7205,"speed":16.1,"track":9}]}"#).utf8)
    }
    var session = connected(rest)
    #expect(session.receive(poll(6), at: now) == [])
    let taken = measured(session.receive(poll(4), at: now))
    #expect(taken?.coordinate == Samples.coordinate(51.0503, 3.7205))
    #expect(taken?.speed == nil && taken?.course == nil)
  }

  // MARK: - Hostile Input

  @Test func `unknown classes and broken lines are ignored`() {
    var session = connected()
    for line in [
      "", "{", "[]", "null", "7", #""class""#, "{}", #"{"class":7}"#, #"{"class":"FUTURE","x":[]}"#,
      #"{"class":"ERROR","message":"\u001b[2J"}"#, "\u{0}\u{ff}", #"{"class":"DEVICES"}"#,
      #"{"class":"POLL","tpv":{"class":"TPV"}}"#, String(repeating: "[", count: 5000),
      #"{"class":"SKY"}"#, #"{"class":"DEVICE"}"#,
    ] {
      #expect(measured(session.receive(Array(line.utf8), at: now)) == nil, "\(line.prefix(40))")
    }
    #expect(measured(session.receive(fixLine, at: now)) != nil)
  }

  @Test func `no damage of its messages crashes it or yields an impossible fix`() {
    var random = SeededGenerator(seed: 2947)
    let lines = [
      fixLine, Array(#"{"class":"VERSION","release":"3.22","proto_major":3}"#.utf8),
      Array(#"{"class":"SKY","nSat":9,"uSat":3,"satellites":[{"used":true}]}"#.utf8),
      Array(#"{"class":"DEVICE","path":"/dev/ttyUSB0","activated":"2026-11-22T21:31:04Z"}"#.utf8),
      Array(
        #"{"class":"POLL","time":"2026-11-22T21:31:04Z","tpv":[{"mode":3,"lat":1,"lon":2}]}"#.utf8),
    ]
    for pace in [LocationPace.continuous, rest] {
      var session = connected(pace)
      for round in 0..<5000 {
        var line = lines.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 0...6, using: &random) where !line.isEmpty {
          let place = Int.random(in: line.indices, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0: line[place] = .random(in: 0...255, using: &random)
          case 1: line.remove(at: place)
          case 2: line.insert(contentsOf: Array("1e308".utf8), at: place)
          default: line.removeSubrange(place...)
          }
        }
        if round % 50 == 0 { _ = session.woke() }
        guard let fix = measured(session.receive(line, at: now)) else { continue }
        #expect((0...100_000).contains(fix.speed ?? 0))
        #expect((0..<360).contains(fix.course ?? 0))
        #expect((0...10_000_000).contains(fix.accuracyMetres ?? 0))
        #expect(fix.recordedAt <= now)
      }
    }
  }
}

@Suite struct LineSplitterTests {
  @Test func `lines are split wherever the bytes are cut`() {
    let text = Array("{\"a\":1}\r\n\n\r\n{\"b\":2}\n{\"c\":3}\r\nrest".utf8)
    for size in 1...text.count {
      var splitter = LineSplitter()
      var lines: [String] = []
      for start in stride(from: 0, to: text.count, by: size) {
        splitter.add(text[start..<min(start + size, text.count)]) {
          lines.append(String(decoding: $0, as: UTF8.self))
        }
      }
      #expect(lines == [#"{"a":1}"#, #"{"b":2}"#, #"{"c":3}"#])
    }
  }

  @Test func `a line beyond the limit is left out, and the next one is taken`() {
    var splitter = LineSplitter()
    var lines: [[UInt8]] = []
    let long = [UInt8](repeating: 65, count: LineSplitter.limit + 1)
    splitter.add(long + [10] + Array("short\n".utf8) + long.dropFirst() + [10]) {
      lines.append($0)
    }
    #expect(lines.map(\.count) == [5, LineSplitter.limit])
  }
}

@Suite struct GPSDAddressTests {
  @Test(arguments: [
    ("127.0.0.1:2947", "127.0.0.1:2947"), ("localhost", "localhost:2947"),
    ("gps.example.org:1", "gps.example.org:1"), ("[::1]:2948", "[::1]:2948"),
    ("[::1]", "[::1]:2947"),
  ])
  func `an address is read as it is written`(text: String, written: String) {
    #expect(GPSDAddress(text)?.description == written)
  }

  @Test(arguments: [
    "", ":2947", "host:", "host:0", "host:65536", "host:+1", "host:-1", "a b", "[::1", "[::1]x",
    "[host]:1", "host:1:2", "ho\u{0}st", "host/", "\u{1b}[2J",
  ])
  func `what is no address is refused`(text: String) {
    #expect(GPSDAddress(text) == nil)
  }
}

@Suite struct ReconnectionBackoffTests {
  @Test func `it waits from one second to thirty, and longer where nothing ever answered`() {
    var backoff = ReconnectionBackoff()
    #expect(
      (0..<11).map { _ in backoff.next() }.map(\.components.seconds) == [
        1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300,
      ])
    backoff.greeted()
    #expect(
      (0..<8).map { _ in backoff.next() }.map(\.components.seconds) == [
        1, 2, 4, 8, 16, 30, 30, 30,
      ])
  }
}
