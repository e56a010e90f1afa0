import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import RallyRules
import RallyStorage
import RallyText
import RallyWire

/// Writes refusals of `/auth/v1` in the form that the client's API version asks for.
struct AuthErrorMiddleware: RouterMiddleware {
  typealias Context = ServerRequestContext

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      let refusal =
        switch error {
        case let refusal as AuthRefusal: refusal
        case let error as HTTPError:
          AuthRefusal(error.status.code, .validationFailed, error.body ?? "Bad request")
        case is NIOTooManyBytesError:
          AuthRefusal(413, .validationFailed, "The request body is too large.")
        default: AuthErrorMiddleware.unexpected(error, context)
        }
      return try AuthErrorMiddleware.response(refusal, to: request)
    }
  }

  private static func unexpected(_ error: any Error, _ context: Context) -> AuthRefusal {
    context.logger.error("auth: \(error)")
    let refusal = (error as? StorageFailure)?.refusal
    return AuthRefusal(
      refusal?.status ?? 500, .unexpectedFailure,
      refusal?.message ?? "Unexpected failure, please try again")
  }

  static func response(_ refusal: AuthRefusal, to request: Request) throws -> Response {
    let wantsCode = (request.headers[.apiVersion] ?? "") >= AuthFailure.version
    var body: [String: JSONValue] =
      wantsCode
      ? [
        "code": .string(refusal.failure.code.rawValue),
        "message": .string(refusal.failure.message),
      ]
      : [
        "code": .integer(Int64(refusal.status)),
        "error_code": .string(refusal.failure.code.rawValue),
        "msg": .string(refusal.failure.message),
      ]
    if refusal.status >= 500, !wantsCode { body["error_id"] = .string(UUID().wireText) }
    if let reasons = refusal.weakness {
      body["weak_password"] = ["reasons": .array(reasons.map(JSONValue.string))]
    }
    var headers: HTTPFields = [.authErrorCode: refusal.failure.code.rawValue]
    if wantsCode { headers[.apiVersion] = AuthFailure.version }
    if let delay = refusal.retryAfter { headers[.retryAfter] = String(delay) }
    return try .json(body, status: .init(code: refusal.status), headers: headers)
  }
}
