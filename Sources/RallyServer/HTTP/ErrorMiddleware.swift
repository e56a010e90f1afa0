import HTTPTypes
import Hummingbird
import RallyRules
import RallyWire

/// Answers what the routes inside of it throw, each service in its own words.
protocol ErrorMiddleware: RouterMiddleware where Context == ServerRequestContext {
  /// The answer to a request that ended with an error.
  ///
  /// - Throws: The error itself where it is left to the middleware around this one.
  func response(
    to error: any Error, of request: Request, _ context: ServerRequestContext
  ) throws -> Response
}

extension ErrorMiddleware {
  func handle(
    _ request: Request, context: ServerRequestContext,
    next: @concurrent (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      return try response(to: error, of: request, context)
    }
  }
}

/// Answers what no route took or explained, in the words of the service whose address it begins with.
///
/// Inside of the router, which otherwise answers such an error itself, without a body.
struct UnroutedMiddleware: ErrorMiddleware {
  func response(
    to error: any Error, of request: Request, _ context: ServerRequestContext
  ) throws -> Response {
    guard let error = error as? any HTTPResponseError else { throw error }
    let path = request.uri.path
    if path.hasPrefix("/auth/v1/") {
      return try AuthErrorMiddleware.response(
        AuthRefusal(error.status.code, .notFound, "There is no \(request.method) \(path) here"),
        to: request)
    }
    if path.hasPrefix("/rest/v1/") {
      return try FunctionErrorMiddleware.response(
        FunctionFailure(code: "PGRST125", message: "Invalid path specified in request URL"),
        status: error.status.code)
    }
    return try .json(["message": error.status.reasonPhrase], status: error.status)
  }
}
