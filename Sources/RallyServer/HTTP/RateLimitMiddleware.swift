import HTTPTypes
import Hummingbird
import RallyRules
import RallyStorage
import RallyWire

/// Limits how often a client searches, sends friend requests and tries codes under `/rest/v1`.
struct RateLimitMiddleware: RouterMiddleware {
  typealias Context = ServerRequestContext

  let limiter: RateLimiter

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    // A table's name is never that of a function.
    let name = context.parameters.get("name") ?? context.parameters.get("table")
    guard let kind = name.flatMap(RateLimiter.Kind.init(name:)) else {
      return try await next(request, context)
    }
    // An invalid token is refused later.
    let account = (try? context.claims.get())?.subject
    if let delay = try await limiter.delay(
      kind, address: context.clientAddress, account: account)
    {
      throw RateRefusal(delay: delay)
    }
    return try await next(request, context)
  }
}
