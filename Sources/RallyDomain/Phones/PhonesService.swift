import FoundationEssentials
import Logging
import RallyClient
import RallySystem
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
