import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyWire

/// A phone of somebody on a test server.
struct TestPhone: Sendable {
  let id: UUID
  let app: PhoneApp
  let secret: AccessSecret
  let client: RawClient

  static func add(_ app: PhoneApp, to person: Person, name: String = "Pixel") async throws
    -> TestPhone
  {
    let phone = TestPhone(id: UUID(), app: app, secret: .sample(), client: person.client)
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
