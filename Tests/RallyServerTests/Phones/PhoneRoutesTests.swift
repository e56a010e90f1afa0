import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// Phones against a server in process, as the apps speak to it.
@Suite struct PhoneRoutesTests {
  private func friends(
    budgets: Budgets = .withoutRates, _ body: (TestServer, Person, Person) async throws -> Void
  ) async throws {
    try await TestServer.with(configure: { $0.budgets = budgets }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      try await ana.befriend(ben)
      try await ana.share(.precise)
      try await body(server, ana, ben)
    }
  }

  private static func feature(_ place: Coordinate, at time: WireTime) -> String {
    """
    {"type":"Feature","geometry":{"type":"Point","coordinates":[\(place.longitude),\
    \(place.latitude)]},"properties":{"timestamp":"\(time.zulu)","speed":4,\
    "horizontal_accuracy":30,"battery_level":0.5,"wifi":"home"}}
    """
  }

  // MARK: - What each app needs

  @Test(.everyEngine) func `OwnTracks gets an array for everything it sends`() async throws {
    try await friends { _, ana, ben in
      let phone = try await TestPhone.add(.owntracks, to: ana)
      let reply = try await phone.report(.lisbon)
      #expect(reply.status == 200)
      #expect(reply.headers.first(name: "content-type") == "application/json")
      #expect(reply.json == [])
      let seen = try #require(try await ben.location(of: ana))
      #expect(seen.coordinate == .lisbon && seen.source == "owntracks" && seen.battery == 73)
      for body in [
        "", #"{"_type":"lwt","tst":1}"#, #"{"_type":"encrypted","data":"AAAA"}"#, "nonsense",
        #"{"_type":"location","lat":"x","lon":[],"tst":null}"#,
      ] {
        let reply = try await phone.post(body)
        #expect(reply.status == 200, "\(body)")
        #expect(reply.json == [], "\(body)")
      }
      #expect(
        try await ana.result(of: FetchPhones()).first?.problem
          == "The app sent a position without latitude and longitude.")
    }
  }

  @Test(.everyEngine) func `Overland gets its word`() async throws {
    try await friends { _, ana, ben in
      let phone = try await TestPhone.add(.overland, to: ana)
      let batch = [
        Self.feature(.porto, at: .now.advanced(by: .seconds(-60))), Self.feature(.lisbon, at: .now),
      ]
      for body in [
        #"{"locations":[\#(batch.joined(separator: ","))]}"#, #"{"locations":[]}"#, "nonsense",
      ] {
        let reply = try await phone.post(body)
        #expect(reply.status == 200)
        #expect(String(decoding: reply.body, as: UTF8.self) == #"{"result":"ok"}"#)
      }
      let seen = try #require(try await ben.location(of: ana))
      #expect(seen.coordinate == .lisbon && seen.speed == 4 && seen.battery == 50)
    }
  }

  @Test func `Traccar's forms and GPSLogger's URL get an empty answer`() async throws {
    try await friends { _, ana, ben in
      let traccar = try await TestPhone.add(.traccar, to: ana, name: "Traccar")
      let logger = try await TestPhone.add(.gpslogger, to: ana, name: "Logger")
      var time = WireTime.now.advanced(by: .seconds(-100))
      func query(_ secret: String) -> String {
        time = time.advanced(by: .seconds(10))
        return "id=\(secret)&timestamp=\(time.microseconds / 1_000_000)&lat=38.7&lon=-9.1&speed=10"
          + "&bearing=90&altitude=3&accuracy=5&batt=75"
      }
      func check(_ reply: RawClient.Reply, speed: Double, _ what: String) async throws {
        #expect(reply.status == 200, "\(what)")
        #expect(reply.body.isEmpty, "\(what)")
        let seen = try #require(try await ben.location(of: ana))
        #expect(seen.recordedAt.microseconds / 1_000_000 == time.microseconds / 1_000_000)
        #expect(abs((seen.speed ?? 0) - speed) < 0.01, "\(what)")
      }
      let secret = traccar.secret.value
      try await check(
        try await traccar.post("", query: "?" + query(secret), method: .GET), speed: 5.14, "GET")
      try await check(
        try await traccar.post("", query: "?" + query(secret)), speed: 5.14, "query")
      try await check(
        try await traccar.post(
          query(secret), headers: ["content-type": "application/x-www-form-urlencoded"]),
        speed: 5.14, "form")
      time = time.advanced(by: .seconds(10))
      let json = """
        {"location":{"timestamp":"\(time.zulu)","coords":{"latitude":38.7,"longitude":-9.1,\
        "accuracy":5,"speed":7,"heading":90},"battery":{"level":0.5}},"device_id":"\(secret)"}
        """
      try await check(try await traccar.post(json), speed: 7, "JSON")
      try await check(
        try await logger.post("", query: "?" + query(logger.secret.value), method: .GET),
        speed: 10, "GPSLogger")
    }
  }

  // MARK: - Refusals

  @Test func `401 is for a bad credential only, and comes at once after the end`() async throws {
    try await friends { _, ana, _ in
      for app in PhoneApp.allCases {
        let phone = try await TestPhone.add(app, to: ana)
        let stranger = TestPhone(id: UUID(), app: app, secret: .sample(), client: ana.client)
        func status(_ phone: TestPhone) async throws -> Int {
          switch app {
          case .owntracks: try await phone.post("").status
          case .overland: try await phone.post(#"{"locations":[]}"#).status
          case .traccar, .gpslogger:
            try await phone.post("", query: "?id=\(phone.secret.value)&lat=1&lon=2").status
          }
        }
        #expect(try await status(phone) == 200)
        #expect(try await status(stranger) == 401)
        for header in ["", "Basic ", "Basic !", "Bearer", "Bearer \(ana.client.token ?? "")"] {
          let reply = try await phone.post("{}", headers: ["authorization": header])
          #expect(reply.status == 401, "\(app) \(header)")
          #expect(reply.headers.contains(name: "www-authenticate"))
        }
        _ = try await ana.result(of: RevokePhone(phoneID: phone.id))
        #expect(try await status(phone) == 401, "\(app)")
      }
    }
  }

  @Test func `ten thousand posts a minute are too many, and nobody else's are refused`()
    async throws
  {
    var budgets = Budgets.withoutRates
    budgets[.phonePostsPerMinute] = 3
    try await friends(budgets: budgets) { _, ana, ben in
      let (busy, quiet) = (
        try await TestPhone.add(.overland, to: ana), try await TestPhone.add(.overland, to: ben)
      )
      let body = #"{"locations":[]}"#
      for _ in 0..<3 { #expect(try await busy.post(body).status == 200) }
      let refused = try await busy.post(body)
      #expect(refused.status == 429)
      #expect(refused.json["error"]?.string?.isEmpty == false)
      let wait = refused.headers.first(name: "Retry-After").flatMap(Int.init)
      #expect((1...20).contains(wait ?? 0))
      #expect(try await quiet.post(body).status == 200)
    }
  }

  @Test(.everyEngine) func `unknown credentials are counted by address, and keep no phone out`()
    async throws
  {
    var budgets = Budgets.withoutRates
    budgets[.unknownPhonesPerAddress] = 3
    try await friends(budgets: budgets) { _, ana, _ in
      let phone = try await TestPhone.add(.owntracks, to: ana)
      var answers: [Int] = []
      for _ in 0..<5 {
        let stranger = TestPhone(
          id: UUID(), app: .owntracks, secret: .sample(), client: ana.client)
        answers.append(try await stranger.report().status)
      }
      #expect(answers == [401, 401, 401, 429, 429])
      #expect(try await phone.report().status == 200)
    }
  }

  @Test func `a body that is too large gets 413, and the next post is taken`() async throws {
    try await friends { _, ana, _ in
      for app in PhoneApp.allCases {
        let phone = try await TestPhone.add(app, to: ana)
        let reply = try await phone.post(String(repeating: " ", count: (1 << 20) + 1))
        #expect(reply.status == 413, "\(app)")
        #expect(reply.json["error"]?.string?.isEmpty == false)
      }
      let phone = try await TestPhone.add(.owntracks, to: ana)
      #expect(try await phone.report().status == 200)
    }
  }

  // MARK: - Journeys

  @Test(.everyEngine, .acrossNodes) func `a phone posts, and the friend's open map hears of it`()
    async throws
  {
    try await friends { server, ana, ben in
      let phone = try await TestPhone.add(.owntracks, to: ana)
      let probe = try await RealtimeProbe.connect(server)
      try await probe.listen(token: ben.session.accessToken, table: "locations")
      #expect(try await phone.report(.porto).status == 200)
      let event = try await probe.next(.postgresChanges)
      #expect(event["payload"]?["data"]?["record"]?["user_id"] == .string(ana.wireID))
      #expect(try await ben.location(of: ana)?.coordinate == .porto)
      try await probe.close()
    }
  }

  @Test(.everyEngine, .acrossNodes)
  func `a friend who goes ghost is not in the phone's next reply`()
    async throws
  {
    try await friends { _, ana, ben in
      let phone = try await TestPhone.add(.owntracks, to: ana)
      try await ben.share(.approximate1km)
      try await ben.publish(.sample(.porto))
      let first = try OwnTracksReply(try await phone.report().body)
      let cell = GridCell(containing: .porto, level: .oneKilometre).center
      let seen = try #require(first.locations.first)
      #expect(first.locations.count == 1)
      #expect(seen.lat == cell.latitude && seen.lon == cell.longitude && seen.acc == 1000)
      #expect(seen.tst % 900 == 0)
      #expect(seen.topic == "owntracks/ben/phone" && seen.tid == "BE")
      #expect(first.cards.map(\.name) == ["Ben"] && first.cards.map(\.tid) == ["BE"])
      let second = try OwnTracksReply(try await phone.report().body)
      #expect(second.locations == first.locations)
      #expect(second.cards.isEmpty)
      try await ben.share(.off)
      let last = try OwnTracksReply(try await phone.report().body)
      #expect(last.locations.isEmpty && last.cards.isEmpty)
    }
  }

  @Test func `the credential and the position are in no log and no metric`() async throws {
    let log = LogCapture()
    let server = try await TestServer.start(logger: log.logger) {
      $0.metrics = .tcp(host: "127.0.0.1", port: 0)
    }
    let ana = try await Person.signUp("ana", on: server)
    var secrets: [String] = []
    for app in PhoneApp.allCases {
      let phone = try await TestPhone.add(app, to: ana)
      let secret = phone.secret.value
      secrets += [secret, Data("ana:\(secret)".utf8).base64EncodedString()]
      for query in ["?id=\(secret)&lat=47.123456&lon=11.654321", "/\(secret)"] {
        for method in [HTTPMethod.GET, .POST, .PUT] {
          _ = try await phone.post(
            #"{"_type":"location","lat":47.123456,"lon":11.654321,"tst":9}"#, query: query,
            method: method)
        }
      }
      _ = try await phone.post(String(repeating: "x", count: (1 << 20) + 1))
    }
    let address = try #require(server.server.operatorAddress?.url)
    let page = try await RawClient(url: address, key: "").send(.GET, "/metrics")
    try await server.stop()
    let text = log.text + String(decoding: page.body, as: UTF8.self)
    #expect(text.contains("/phone/traccar"))
    for secret in secrets + ["47.123456", "11.654321"] { #expect(!text.contains(secret)) }
  }
}
