import Foundation
import HTTPTypes
import Hummingbird
import Logging
import RallyRules
import RallyText
import RallyWire

/// Gives every request an id, counts it by route, and logs it.
///
/// The log has the route without the query, which may contain positions and names.
struct RequestTrace: Sendable {
  /// The client's request id, if valid: up to 64 letters, digits, `.`, `_` and `-`.
  static let header = HTTPField.Name("X-Request-Id")

  let metrics: ServerMetrics
  /// The functions that exist, whose names are routes of their own.
  let functions: Set<String>

  func respond(
    to request: Request, _ context: ServerRequestContext,
    next: @concurrent (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    let id = RequestTrace.id(of: request)
    context.logger[metadataKey: "request_id"] = "\(id)"
    let start = ContinuousClock.now
    var response: Response
    do {
      response = try await next(request, context)
    } catch {
      note(request, context, status: 0, since: start)
      throw error
    }
    if let name = RequestTrace.header { response.headers[name] = id }
    note(request, context, status: response.status.code, since: start)
    return response
  }

  private func note(
    _ request: Request, _ context: ServerRequestContext, status: Int,
    since start: ContinuousClock.Instant
  ) {
    let duration = ContinuousClock.now - start
    let route = route(of: request, context)
    metrics.didAnswer(route, status: status, after: duration)
    context.logger.info(
      "request",
      metadata: [
        "method":
          "\(RequestTrace.methods.contains(request.method) ? request.method.rawValue : "other")",
        "route": "\(route)", "status": "\(status)",
        "ms": "\(duration.inMilliseconds)",
      ])
  }

  private static let methods: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .patch, .delete, .options,
  ]

  /// The route as it is written in the code, with a known function in place of its name's mark.
  private func route(of request: Request, _ context: ServerRequestContext) -> String {
    guard let path = context.endpointPath else { return "none" }
    guard path.hasSuffix("/rpc/:name") || path.hasSuffix("/rpc/{name}"),
      let name = request.uri.path.split(separator: "/").last.map(String.init),
      functions.contains(name)
    else { return path }
    return "/rest/v1/rpc/\(name)"
  }

  private static func id(of request: Request) -> String {
    guard let name = header, let given = request.headers[name], (1...64).contains(given.utf8.count),
      given.utf8.allSatisfy({ $0.isAlphanumeric(or: "._-") })
    else {
      // `UUID()` opens the device of random numbers each time, which is a twelfth of a plain request.
      return String(UInt64.random(in: 0 ... .max), radix: 16)
    }
    return given
  }
}
