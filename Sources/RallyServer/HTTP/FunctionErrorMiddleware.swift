import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import RallyRules
import RallyStorage
import RallyWire

/// Writes refusals of `/rest/v1` with PostgREST's four keys, status and headers.
struct FunctionErrorMiddleware: RouterMiddleware {
  typealias Context = ServerRequestContext

  /// The role `anon` asked for something that needs a person.
  struct Anonymous: Error {
    /// `function f` or `table t`.
    var object: String
  }

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let failure as FunctionFailure {
      return try FunctionErrorMiddleware.response(failure, status: failure.status)
    } catch let refusal as RateRefusal {
      return try FunctionErrorMiddleware.response(
        refusal.failure, status: refusal.failure.status,
        headers: [.retryAfter: String(refusal.delay)])
    } catch let anonymous as Anonymous {
      return try FunctionErrorMiddleware.response(
        FunctionFailure(
          code: FunctionFailure.forbidden,
          message: "permission denied for \(anonymous.object)"),
        status: 401)
    } catch let error as HTTPError {
      return try FunctionErrorMiddleware.response(
        FunctionFailure(code: "PGRST000", message: error.body ?? error.status.reasonPhrase),
        status: error.status.code)
    } catch is NIOTooManyBytesError {
      return try FunctionErrorMiddleware.tooLarge("The request body is too large.")
    } catch is FunctionArguments.TooManyValues {
      return try FunctionErrorMiddleware.tooLarge(
        "The request body has more than \(WireJSON.mostValues) values.")
    } catch {
      context.logger.error("rest: \(error)")
      let refusal = (error as? StorageFailure)?.refusal
      return try FunctionErrorMiddleware.response(
        FunctionFailure(
          code: refusal?.code ?? "XX000",
          message: refusal?.message ?? "Something went wrong here; try again."),
        status: refusal?.status ?? 500)
    }
  }

  private static func tooLarge(_ message: String) throws -> Response {
    try response(FunctionFailure(code: "PGRST000", message: message), status: 413)
  }

  static func response(
    _ failure: FunctionFailure, status: Int, headers: HTTPFields = [:]
  ) throws -> Response {
    var headers = headers
    headers[.proxyStatus] = "PostgREST; error=\(failure.code)"
    if status == 401 {
      headers[.wwwAuthenticate] =
        failure.code == FunctionFailure.forbidden
        ? "Bearer" : "Bearer error=\"invalid_token\", error_description=\"\(failure.message)\""
    }
    return .json(
      try WireJSON.encode(failure), status: .init(code: status),
      type: "application/json; charset=utf-8", headers: headers)
  }
}
