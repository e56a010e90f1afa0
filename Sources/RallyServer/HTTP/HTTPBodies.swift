import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import RallyRules
import RallyText
import RallyWire

extension Response {
  static func json(
    _ data: Data, status: HTTPResponse.Status = .ok, type: String = "application/json",
    headers: HTTPFields = [:]
  ) -> Response {
    var headers = headers
    headers[.contentType] = type
    return Response(
      status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: data)))
  }

  static func json(
    _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) throws -> Response {
    json(try WireJSON.encode(value), status: status, headers: headers)
  }

  static func json(
    _ value: JSONValue, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) -> Response {
    json(Data(JSONWriter.bytes(of: value)), status: status, headers: headers)
  }
}

extension HTTPField.Name {
  static let apiKey = known("apikey")
  static let apiVersion = known(AuthFailure.versionHeader)
  static let authErrorCode = known("x-sb-error-code")
  static let proxyStatus = known("Proxy-Status")
  static let forwardedFor = known("X-Forwarded-For")
  static let permissionsPolicy = known("Permissions-Policy")
  static let referrerPolicy = known("Referrer-Policy")
  static let robotsTag = known("X-Robots-Tag")
  /// Asks nginx to pass on what is written at once.
  static let accelBuffering = known("X-Accel-Buffering")
  static let acceptProfile = known("Accept-Profile")
  static let contentProfile = known("Content-Profile")
  static let preferenceApplied = known("Preference-Applied")
}

extension RequestBody {
  /// Bytes of a body whose sender nobody knows yet.
  static let strangersLimit = 8 << 10

  /// The whole body.
  ///
  /// - Parameter limit: Bytes, where that is less than `body-bytes`.
  /// - Throws: `NIOTooManyBytesError` for a larger one.
  func collect(within budgets: BudgetKeeper, atMost limit: Int = .max) async throws -> ByteBuffer {
    do {
      return try await collect(upTo: Swift.min(limit, budgets[.bodyBytes]))
    } catch let error as NIOTooManyBytesError {
      budgets.didRefuse(.bodyBytes)
      throw error
    }
  }

  /// Reads the body to its end and keeps nothing of it: some clients fail if the answer comes while
  /// they still send. The connection's own limit bounds it.
  func discard() async throws { for try await _ in self {} }
}

extension Request {
  /// Asks who sent a request before its body is read. The body of a refused one is read to its end,
  /// and nothing of it is kept.
  ///
  /// - Throws: What `ask` throws.
  func admitted<Sender>(_ ask: () async throws -> Sender) async throws -> Sender {
    do {
      return try await ask()
    } catch {
      try await body.discard()
      throw error
    }
  }
}
