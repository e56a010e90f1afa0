import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyText
import RallyWire

/// Phones that report my position to the server.
///
/// Every mutation carries a client id: repeating it with the same one has the effect of one call.
/// No secret of a phone is ever logged.
public final class PhonesService: Sendable {
  public static let shared = PhonesService(client: .shared)

  private let client: ServiceClient
  private let log = RallyLog.logger("Phones")

  public init(client: SupabaseClient) { self.client = client.logging(by: log) }

  /// Adds a phone, whose app reports with the secret from now on.
  ///
  /// - Parameters:
  ///   - name: As `AddPhone.checkedName` returns it.
  ///   - secret: Made here; the server keeps a digest of it only.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func addPhone(
    app: PhoneApp, name: String, secret: AccessSecret, id: UUID = UUID(), clientID: UUID = UUID()
  ) async throws -> PhoneRecord {
    log.info("addPhone — app: \(app.rawValue)")
    return try await client.call(
      AddPhone(phoneID: id, app: app, name: name, secret: secret), clientID: clientID)
  }

  /// My phones, the oldest first.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchPhones() async throws -> [PhoneRecord] {
    log.info("fetchPhones")
    return try await Pages.whole { [client] in try await client.page(FetchPhones(), offset: $0) }
  }

  /// Ends a phone's credential: what it sends from now on is refused.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func revokePhone(_ id: UUID, clientID: UUID = UUID()) async throws {
    log.info("revokePhone")
    _ = try await client.call(RevokePhone(phoneID: id), clientID: clientID)
  }
}

extension AccessSecret {
  /// A new one, from the system's generator of random numbers.
  public static func random() -> AccessSecret {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
    guard let secret = AccessSecret(randomBytes: bytes) else {
      preconditionFailure("A secret has \(byteCount) bytes.")
    }
    return secret
  }
}

/// What goes into an app on a phone so that it reports positions to a server.
public struct PhoneSetup: Hashable, Sendable {
  /// A setting to type into the app by hand.
  public struct Setting: Hashable, Sendable, Encodable {
    public let name: String
    public let value: String
  }

  public let app: PhoneApp
  /// The server as the phone reaches it.
  public let server: ServerURL
  public let secret: AccessSecret
  /// Its owner; OwnTracks shows it, the server does not use it.
  public let username: String

  public init(app: PhoneApp, server: ServerURL, secret: AccessSecret, username: String) {
    self.app = app
    self.server = server
    self.secret = secret
    self.username = username
  }

  /// Where the app posts to.
  public var address: String { server.description + app.path }

  /// The app's own configuration link: opened on the phone, or scanned as a QR code, it makes all
  /// settings.
  ///
  /// OwnTracks: booklet, "URL config". Overland: README, "Configuration". Traccar Client scans the
  /// address with its settings as a query. GPSLogger has no such link; its address is pasted.
  public var link: String {
    switch app {
    case .owntracks: "owntracks:///config?inline=\(Self.escaped(otrc.base64EncodedString()))"
    case .overland:
      "overland://setup?url=\(Self.escaped(address))&token=\(secret.value)&device_id=rally"
    case .traccar: "\(address)?id=\(secret.value)"
    case .gpslogger: "\(address)?id=\(secret.value)&\(Self.gpsLoggerQuery)"
    }
  }

  /// The same for typing, in the words of the app's settings.
  public var settings: [Setting] {
    let names: [(String, String)] =
      switch app {
      case .owntracks:
        [
          ("Mode", "HTTP"), ("URL", address), ("Username", username), ("Password", secret.value),
        ]
      case .overland: [("Receiver endpoint URL", address), ("Access token", secret.value)]
      case .traccar: [("Server URL", address), ("Device identifier", secret.value)]
      case .gpslogger: [("Log to custom URL", link), ("HTTP method", "GET")]
      }
    return names.map { Setting(name: $0.0, value: $0.1) }
  }

  /// Why a phone cannot reach the server at this address; nil where nothing speaks against it.
  public var warning: String? {
    if ServerChoice.remote(server, key: "").reach == .thisMachine {
      return "\(server.host) is this machine: a phone cannot reach it under that name. "
        + "`rally location phone add --address` takes the one that it can reach."
    }
    return server.isSecure
      ? nil : "Without https the credential and the positions can be read on the way."
  }

  /// OwnTracks' configuration: mode 3 is HTTP; the two about commands let a friend's question ask
  /// the app for a position.
  private var otrc: Data {
    struct Configuration: Encodable {
      let _type = "configuration"
      let mode = 3
      let url: String
      let auth = true
      let username: String
      let password: String
      let deviceId = "phone"
      let cmd = true
      let allowRemoteLocation = true
    }
    let configuration = Configuration(url: address, username: username, password: secret.value)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // A structure of strings and numbers always encodes.
    return (try? encoder.encode(configuration)) ?? Data()
  }

  /// GPSLogger replaces what stands after each per cent sign: its page "Log to custom URL".
  private static let gpsLoggerQuery =
    "lat=%LAT&lon=%LON&timestamp=%TIMESTAMP&accuracy=%ACC&speed=%SPD&bearing=%DIR&batt=%BATT"

  /// A value of a query; also `+`, which Android reads as a space.
  private static func escaped(_ text: String) -> String { text.percentEncoded() }
}

extension PhoneApp {
  /// As its makers write it.
  public var title: String {
    switch self {
    case .owntracks: "OwnTracks"
    case .overland: "Overland"
    case .traccar: "Traccar Client"
    case .gpslogger: "GPSLogger"
    }
  }

  /// How the app takes its link.
  public var instruction: String {
    switch self {
    case .owntracks, .overland:
      "Scan it with the phone's camera, or open the link there: \(title) asks to take it over."
    case .traccar: "In \(title), open the settings and scan it with the QR button."
    case .gpslogger:
      "Scan it with the phone's camera, copy the address, and paste it in \(title) at "
        + "Logging details, Log to custom URL."
    }
  }
}
