import HTTPTypes
import Hummingbird
import RallyRules
import RallyWire

/// Answers what no route took or explained, in the words of the service whose address it begins with.
///
/// Inside of the router, which otherwise answers such an error itself, without a body.
struct UnroutedMiddleware: RouterMiddleware {
  typealias Context = ServerRequestContext

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as any HTTPResponseError {
      return try UnroutedMiddleware.response(to: request, error.status)
    }
  }

  private static func response(
    to request: Request, _ status: HTTPResponse.Status
  ) throws -> Response {
    let path = request.uri.path
    if path.hasPrefix("/auth/v1/") {
      return try AuthErrorMiddleware.response(
        AuthRefusal(status.code, .notFound, "There is no \(request.method) \(path) here"),
        to: request)
    }
    if path.hasPrefix("/rest/v1/") {
      return try FunctionErrorMiddleware.response(
        FunctionFailure(
          code: "PGRST125", message: "Invalid path specified in request URL"),
        status: status.code)
    }
    return try .json(["message": status.reasonPhrase], status: status)
  }
}
