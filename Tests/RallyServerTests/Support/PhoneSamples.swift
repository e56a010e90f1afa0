import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyWire

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

extension AccessSecret {
  static func random() -> AccessSecret {
    AccessSecret(randomBytes: Sodium.randomBytes(AccessSecret.byteCount))!
  }
}

extension PhoneFix {
  static func sample(
    _ place: Coordinate = .lisbon, at time: WireTime, accuracy: Double? = 8, speed: Double? = nil
  ) -> PhoneFix {
    PhoneFix(
      latitude: place.latitude, longitude: place.longitude, accuracyMetres: accuracy, speed: speed,
      battery: 73, recordedAt: time)
  }
}

/// A phone of somebody on a test server.
struct TestPhone: Sendable {
  let id: UUID
  let app: PhoneApp
  let secret: AccessSecret
  let client: RawClient

  static func add(_ app: PhoneApp, to person: Person, name: String = "Pixel") async throws
    -> TestPhone
  {
    let phone = TestPhone(id: UUID(), app: app, secret: .random(), client: person.client)
    _ = try await person.result(
      of: AddPhone(phoneID: phone.id, app: app, name: name, secret: phone.secret))
    return phone
  }

  var authorization: String {
    app == .owntracks
      ? "Basic " + Data("ana:\(secret.value)".utf8).base64EncodedString()
      : "Bearer \(secret.value)"
  }

  /// Without an API key, as the app sends it.
  ///
  /// - Parameter query: With its question mark.
  func post(
    _ body: String, query: String = "", method: HTTPMethod = .POST,
    headers: [String: String] = [:]
  ) async throws -> RawClient.Reply {
    let own = app == .owntracks || app == .overland ? authorization : ""
    return try await client.send(
      method, app.path + query, data: method == .GET ? nil : Data(body.utf8),
      headers: ["apikey": "", "authorization": own].merging(headers) { $1 })
  }

  /// A message of OwnTracks with a position.
  func report(
    _ place: Coordinate = .lisbon, at time: WireTime = .now
  ) async throws -> RawClient.Reply {
    try await post(
      """
      {"_type":"location","tid":"AN","lat":\(place.latitude),"lon":\(place.longitude),"acc":8,\
      "batt":73,"tst":\(time.microseconds / 1_000_000)}
      """)
  }
}

extension ServerWorld {
  func addPhone(_ app: PhoneApp = .owntracks, of member: Int) async throws -> AccessSecret {
    let secret = AccessSecret.random()
    _ = try await result(
      of: AddPhone(phoneID: UUID(), app: app, name: "Pixel", secret: secret), as: member)
    return secret
  }

  /// - Throws: What `PhoneInbox` throws.
  @discardableResult
  func post(
    _ post: PhonePost, with secret: AccessSecret, for app: PhoneApp = .owntracks,
    budgets: Budgets = .withoutRates
  ) async throws -> StoredPhone {
    let keeper = BudgetKeeper(budgets)
    let inbox = PhoneInbox(
      storage: storage, moves: moves, limiter: RateLimiter(budgets: keeper),
      reads: ReadGate(budgets: keeper), now: { self.now })
    return try await inbox.take(post, of: try await inbox.admit(secret, for: app, from: nil))
  }

  /// What the reply to a phone says.
  func reply(to phone: StoredPhone) async throws -> [OwnTracksMessage] {
    try await PhoneFriends(storage: storage, budgets: BudgetKeeper(), now: { self.now })
      .messages(for: phone)
  }
}
