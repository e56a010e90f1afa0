import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// What the apps really send.
@Suite struct PhonePostTests {
  private static let time = WireTime("2026-08-01T12:00:00Z")!
  private static let seconds = time.microseconds / 1_000_000

  // MARK: - OwnTracks

  @Test func `a position of OwnTracks has kilometres an hour`() throws {
    let post = OwnTracksPost.parse(
      Data(
        """
        {"_type":"location","BSSID":"12:34:56:78:9a:bc","SSID":"home","_id":"x","acc":12,"alt":30,
         "batt":73,"bs":1,"cog":271,"conn":"w","created_at":\(Self.seconds + 5),
         "inregions":["Home"],"inrids":["3f2a"],"lat":38.7223,"lon":-9.1393,"m":2,"p":100.3,
         "t":"u","tid":"AN","topic":"owntracks/ana/phone","tst":\(Self.seconds),"vac":3,"vel":36}
        """.utf8))
    #expect(
      post
        == PhonePost(
          fixes: [
            PhoneFix(
              latitude: 38.7223, longitude: -9.1393, accuracyMetres: 12, speed: 10, course: 271,
              battery: 73, recordedAt: Self.time)
          ], wantsFriends: true))
  }

  @Test func `what else OwnTracks sends is no position and no mistake`() {
    for body in [
      #"{"_type":"lwt","tst":1763700000}"#, #"{"_type":"status","android":{"hib":0}}"#,
      #"{"_type":"transition","event":"leave","lat":1,"lon":2,"tst":1763700000,"wtst":1}"#,
      #"{"_type":"waypoints","waypoints":[]}"#,
    ] {
      #expect(OwnTracksPost.parse(Data(body.utf8)) == PhonePost(wantsFriends: true))
    }
    #expect(OwnTracksPost.parse(Data()) == PhonePost())
  }

  @Test func `encrypted messages and those of others have a reason`() {
    let encrypted = OwnTracksPost.parse(Data(#"{"_type":"encrypted","data":"AAAA"}"#.utf8))
    #expect(encrypted.problem?.contains("clear the encryption key") == true)
    #expect(!encrypted.wantsFriends)
    for body in ["[]", "{}", "nonsense", #"{"_type":7}"#, "\u{FEFF}", "NaN"] {
      #expect(OwnTracksPost.parse(Data(body.utf8)).problem != nil, "\(body)")
    }
  }

  // MARK: - Overland

  @Test func `a batch of Overland has longitude first and a level of one`() throws {
    let feature = """
      {"type":"Feature","geometry":{"type":"Point","coordinates":[-122.030581,37.331800]},
       "properties":{"timestamp":"2026-08-01T05:00:00-0700","altitude":0,"speed":4,
       "horizontal_accuracy":30,"vertical_accuracy":-1,"motion":["driving","stationary"],
       "battery_state":"charging","battery_level":0.5,"device_id":"","wifi":"home"}}
      """
    let unknown = """
      {"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{
       "timestamp":"2026-08-01T12:00:00Z","speed":-1,"course":-1,"horizontal_accuracy":-1,
       "battery_level":-1}}
      """
    let post = OverlandPost.parse(
      Data(#"{"locations":[\#(feature),\#(unknown)],"trip":{"mode":"walk"}}"#.utf8))
    #expect(
      post.fixes == [
        PhoneFix(
          latitude: 37.3318, longitude: -122.030581, accuracyMetres: 30, speed: 4, battery: 50,
          recordedAt: Self.time),
        // Below 0 the place itself is invalid, as iOS says.
        PhoneFix(latitude: 2, longitude: 1, recordedAt: Self.time, isValid: false),
      ])
    #expect(post.problem == nil)
    #expect(OverlandPost.parse(Data(#"{"locations":[]}"#.utf8)) == PhonePost())
  }

  @Test func `one wrong feature does not cost the others`() {
    let good = """
      {"geometry":{"coordinates":[1,2]},"properties":{"timestamp":"2026-08-01T12:00:00Z"}}
      """
    let post = OverlandPost.parse(
      Data(#"{"locations":[7,\#(good),{"geometry":null,"properties":[]}]}"#.utf8))
    #expect(post.fixes.count == 1)
    #expect(post.problem != nil)
    #expect(OverlandPost.parse(Data("{}".utf8)).problem != nil)
  }

  // MARK: - Traccar

  @Test func `Traccar's JSON has metres a second and a level of one`() {
    let secret = AccessSecret.sample()
    let (found, post) = TraccarPost.parse(
      Data(
        """
        {"location":{"timestamp":"2026-08-01T12:00:00.000Z","coords":{"latitude":38.7223,
         "longitude":-9.1393,"accuracy":7.5,"speed":2.5,"heading":90,"altitude":12},
         "is_moving":true,"odometer":10,"event":"motionchange","battery":{"level":0.81,
         "is_charging":false},"activity":{"type":"walking"},"extras":{}},
         "device_id":"\(secret.value)"}
        """.utf8))
    #expect(found == secret)
    #expect(
      post.fixes == [
        PhoneFix(
          latitude: 38.7223, longitude: -9.1393, accuracyMetres: 7.5, speed: 2.5, course: 90,
          battery: 81, recordedAt: Self.time)
      ])
    #expect(TraccarPost.parse(Data(#"{"location":{}}"#.utf8)).post.problem != nil)
  }

  @Test func `Traccar's query has knots`() throws {
    let secret = AccessSecret.sample()
    for time in ["\(Self.seconds)", "\(Self.seconds * 1000)", "2026-08-01T12:00:00Z"] {
      let query = try #require(
        PhoneQuery(
          "id=\(secret.value)&timestamp=\(time)&lat=38.7223&lon=-9.1393&speed=10&bearing=270"
            + "&altitude=35.0&accuracy=10.5&batt=75.0&charge=true&wifi=00-14-22,-80"))
      #expect(query.secret == secret)
      #expect(
        query.post(metresPerSecond: TraccarPost.knot).fixes == [
          PhoneFix(
            latitude: 38.7223, longitude: -9.1393, accuracyMetres: 10.5, speed: 5.14444,
            course: 270, battery: 75, recordedAt: Self.time)
        ], "\(time)")
    }
    let other = try #require(
      PhoneQuery("deviceid=x&location=1.5,2.5&timestamp=2026-08-01+12:00:00"))
    #expect(
      other.post(metresPerSecond: 1).fixes == [
        PhoneFix(latitude: 1.5, longitude: 2.5, recordedAt: Self.time)
      ])
    #expect(other.namesDevice && other.secret == nil)
  }

  // MARK: - GPSLogger

  @Test func `every parameter of GPSLogger is understood by its short name`() throws {
    let secret = AccessSecret.sample()
    let query = try #require(
      PhoneQuery(
        "lat=38.7223&lon=-9.1393&sat=9&desc=&alt=30.0&acc=4.2&dir=12.5&prov=gps&spd=1.5"
          + "&timestamp=\(Self.seconds)&time=2026-08-01T12:00:00.000Z&batt=64.0&ser=x"
          + "&id=\(secret.value)"))
    #expect(query.secret == secret)
    #expect(
      query.post(metresPerSecond: 1).fixes == [
        PhoneFix(
          latitude: 38.7223, longitude: -9.1393, accuracyMetres: 4.2, speed: 1.5, course: 12.5,
          battery: 64, recordedAt: Self.time)
      ])
  }

  // MARK: - What can be taken

  private func problem(_ fix: PhoneFix) -> String? {
    do throws(PhoneFix.Problem) {
      _ = try fix.taken(from: .traccar, at: Self.time)
      return nil
    } catch {
      return error.sentence
    }
  }

  private func later(_ seconds: Int64) -> WireTime { Self.time.advanced(by: .seconds(seconds)) }

  @Test func `a wrong clock is told from a wrong position`() {
    #expect(problem(.sample(at: Self.time)) == nil)
    #expect(problem(.sample(at: later(300))) == nil)
    #expect(problem(.sample(at: later(301))) == "The phone's clock is 5 min ahead.")
    #expect(problem(.sample(at: later(3 * 3600))) == "The phone's clock is 3 h ahead.")
    #expect(problem(.sample(at: WireTime("2100-01-01T00:00:00Z")!))?.contains("days") == true)
    #expect(problem(.sample(at: WireTime("1970-01-01T00:00:00Z")!))?.contains("1970-01-01") == true)
    #expect(problem(.sample(at: later(-29 * 86_400))) == nil)
    for (latitude, longitude) in [(91, 0), (0, 181), (Double.infinity, 0)] as [(Double, Double)] {
      let fix = PhoneFix(latitude: latitude, longitude: longitude, recordedAt: Self.time)
      #expect(problem(fix) == "The app sent a position that is not on the globe.")
    }
    #expect(
      problem(PhoneFix(latitude: nil, longitude: 1, recordedAt: Self.time))?
        .contains("without latitude") == true)
    #expect(
      problem(PhoneFix(latitude: 1, longitude: 1, recordedAt: nil))?.contains("time") == true)
  }

  @Test func `a phone that says that it has no fix has no position`() throws {
    let noFix = "The phone has no fix: it does not know where it is."
    func fix(_ latitude: Double, _ longitude: Double, accuracy: Double? = nil) -> PhoneFix {
      PhoneFix(
        latitude: latitude, longitude: longitude, accuracyMetres: accuracy, recordedAt: Self.time)
    }
    #expect(problem(fix(0, 0)) == noFix)
    #expect(problem(fix(50.5, 10.5, accuracy: -1)) == noFix)
    #expect(problem(fix(50.5, 10.5, accuracy: -2_147_473)) == noFix)
    for real in [fix(0, 10.5), fix(50.5, 0), fix(0.000_1, 0), fix(50.5, 10.5, accuracy: 0)] {
      #expect(problem(real) == nil)
    }
    func query(_ valid: String) throws -> String? {
      let text = "id=x&lat=50.5&lon=10.5&timestamp=1785585600" + valid
      return problem(
        try #require(
          PhoneQuery(text)?.post(metresPerSecond: TraccarPost.knot).fixes.first))
    }
    for valid in ["&valid=false", "&valid=0", "&valid="] { #expect(try query(valid) == noFix) }
    for valid in ["", "&valid=true", "&valid=1", "&valid=True"] { #expect(try query(valid) == nil) }
    let body =
      #"{"location":{"timestamp":"2026-08-01T12:00:00Z","valid":false,"coords":{"#
      + #""latitude":50.5,"longitude":10.5}}}"#
    #expect(TraccarPost.parse(Data(body.utf8)).post.fixes.first.flatMap(problem) == noFix)
    let tracks = #"{"_type":"location","lat":0,"lon":0,"acc":0,"tst":1785585600}"#
    #expect(OwnTracksPost.parse(Data(tracks.utf8)).fixes.first.flatMap(problem) == noFix)
  }

  @Test func `where the clock is a little ahead the position is of now`() throws {
    let taken = try PhoneFix.sample(at: later(200)).taken(from: .traccar, at: Self.time)
    #expect(taken.measuredAt == later(200))
    #expect(taken.report.recordedAt == Self.time)
    #expect(taken.report.source == "traccar")
  }

  // MARK: - Nonsense

  private static let pieces = [
    "{", "}", "[", "]", ":", ",", "\"", "\"_type\"", "\"location\"", "\"locations\"", "\"coords\"",
    "\"geometry\"", "\"coordinates\"", "\"properties\"", "\"timestamp\"", "\"lat\"", "\"lon\"",
    "\"tst\"", "\"device_id\"", "NaN", "1e999", "-1e999", "9223372036854775808", "1970", "null",
    "true", "\u{0}", "é", "id=", "lat=", "lon=", "timestamp=", "&", "%", "%FF", "+", "=",
    "4102444800000", "-0.0", "91", "\"2100-01-01T00:00:00Z\"", "2026-13-99T99:99:99Z", "encrypted",
  ]

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `no bytes break a parser`(_ seed: UInt64) {
    var numbers = SeededGenerator(seed: seed)
    let whole = #"{"_type":"location","lat":38.7,"lon":-9.1,"tst":1785585600,"acc":3}"#
    for round in 0..<1500 {
      var bytes =
        round % 2 == 0
        ? Array(
          (0..<Int.random(in: 0..<24, using: &numbers)).map { _ in
            Self.pieces.randomElement(using: &numbers) ?? ""
          }.joined().utf8) : Array(whole.utf8)
      for _ in 0..<Int.random(in: 0..<3, using: &numbers) where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = .random(
          in: 0...255, using: &numbers)
      }
      let body = Data(bytes)
      let posts = [
        OwnTracksPost.parse(body), OverlandPost.parse(body), TraccarPost.parse(body).post,
        PhoneQuery(String(decoding: body, as: UTF8.self))?.post(metresPerSecond: 1),
      ].compactMap(\.self)
      for fix in posts.flatMap(\.fixes) where problem(fix) == nil {
        #expect((-90...90).contains(fix.latitude ?? 99))
        #expect((-180...180).contains(fix.longitude ?? 999))
        #expect(fix.speed.map { (0...100_000).contains($0) } ?? true)
      }
    }
  }

  @Test func `values within values are no way to the end of the stack`() {
    for depth in [100, 600, 50_000] {
      let deep = Data(
        (String(repeating: #"{"locations":["#, count: depth)
          + String(repeating: "]}", count: depth)).utf8)
      _ = (OwnTracksPost.parse(deep), OverlandPost.parse(deep), TraccarPost.parse(deep))
    }
  }
}
