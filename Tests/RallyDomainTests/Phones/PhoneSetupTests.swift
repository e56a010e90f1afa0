import Foundation
import RallyDomain
import RallyText
import RallyWire
import Testing

@testable import RallyClient

struct PhoneSetupTests {
  private let secret = AccessSecret("abcdefgh-_ABCDEFGH0123456789abcd")

  private func setup(
    _ app: PhoneApp, server: String = "https://rally.example.org/group"
  ) throws -> PhoneSetup {
    PhoneSetup(
      app: app, server: try ServerURL(server), secret: try #require(secret), username: "ana")
  }

  private func query(_ link: String) throws -> [String: String] {
    // As Android reads a link: a plus is a space.
    let items = try #require(URLComponents(string: link.replacing("+", with: "%20"))?.queryItems)
    return Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
  }

  @Test func `OwnTracks reads its whole configuration from the link`() throws {
    let link = try setup(.owntracks).link
    #expect(link.hasPrefix("owntracks:///config?inline="))
    let inline = try #require(Data(base64Encoded: try query(link)["inline"] ?? ""))
    let configuration = try WireJSON.decode(JSONValue.self, from: inline)
    #expect(
      configuration == [
        "_type": "configuration", "mode": 3, "auth": true, "deviceId": "phone",
        "url": "https://rally.example.org/group/phone/owntracks", "username": "ana",
        "password": "abcdefgh-_ABCDEFGH0123456789abcd", "cmd": true, "allowRemoteLocation": true,
      ])
  }

  @Test(arguments: 0..<50) func `whatever its base64 holds survives the query`(number: Int) throws {
    let name = String(repeating: "~?>", count: number % 7) + "\(number)"
    let setup = PhoneSetup(
      app: .owntracks, server: try ServerURL("https://h\(number).example.org"),
      secret: .random(), username: name)
    let inline = try #require(Data(base64Encoded: try query(setup.link)["inline"] ?? ""))
    #expect(try WireJSON.decode(JSONValue.self, from: inline)["username"] == .string(name))
  }

  @Test func `Overland gets endpoint and token`() throws {
    let link = try setup(.overland).link
    #expect(link.hasPrefix("overland://setup?"))
    let query = try query(link)
    #expect(query["url"] == "https://rally.example.org/group/phone/overland")
    #expect(query["token"] == secret?.value)
  }

  @Test func `Traccar Client takes the address without its query, and the identifier from it`()
    throws
  {
    let setup = try setup(.traccar)
    let parts = try #require(URLComponents(string: setup.link))
    #expect("\(parts.scheme ?? "")://\(parts.host ?? "")\(parts.path)" == setup.address)
    #expect(try query(setup.link) == ["id": secret?.value ?? ""])
  }

  @Test func `GPSLogger's address names what the app fills in`() throws {
    let link = try setup(.gpslogger).link
    #expect(link.hasPrefix("https://rally.example.org/group/phone/gpslogger?id=abcdefgh-_"))
    for field in ["lat=%LAT", "lon=%LON", "timestamp=%TIMESTAMP", "accuracy=%ACC", "batt=%BATT"] {
      #expect(link.contains(field))
    }
  }

  @Test(arguments: PhoneApp.allCases)
  func `all of it can be typed by hand`(app: PhoneApp) throws {
    let setup = try setup(app)
    let typed = setup.settings.map(\.value).joined(separator: " ")
    #expect(typed.contains(setup.address))
    #expect(typed.contains(setup.secret.value))
  }

  @Test(arguments: ["http://127.0.0.1:8787", "http://localhost:1", "http://[::1]:5"])
  func `an address that a phone cannot reach is named`(server: String) throws {
    let warning = try #require(try setup(.owntracks, server: server).warning)
    #expect(warning.contains("this machine"))
  }

  @Test func `plain http is named, https is not`() throws {
    let warning = try setup(.owntracks, server: "http://192.168.1.5:8787").warning
    #expect(warning?.contains("https") == true)
    #expect(try setup(.owntracks).warning == nil)
  }

  @Test func `no description holds the secret`() throws {
    let setup = try setup(.overland)
    #expect(!"\(setup)".contains(setup.secret.value))
    #expect(!String(reflecting: setup).contains(setup.secret.value))
  }

  @Test func `secrets are all different`() {
    #expect(Set((0..<100).map { _ in AccessSecret.random() }).count == 100)
  }
}
