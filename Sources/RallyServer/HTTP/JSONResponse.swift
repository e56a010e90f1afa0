import Foundation
import HTTPTypes
import Hummingbird
import RallyRules
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
