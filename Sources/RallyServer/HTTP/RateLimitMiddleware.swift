import HTTPTypes
import Hummingbird
import RallyWire

/// Limits how often a client searches, sends friend requests and tries codes under `/rest/v1`.
struct RateLimitMiddleware: RouterMiddleware {
  typealias Context = ServerRequestContext

  let limiter: RateLimiter
  let gateway: Gateway

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    // A table's name is never that of a function.
    let name = context.parameters.get("name") ?? context.parameters.get("table")
    guard let kind = name.flatMap(RateLimiter.Kind.init(name:)),
      let delay = try await limiter.delay(
        kind, address: context.clientAddress, account: account(of: request))
    else { return try await next(request, context) }
    throw RateRefusal(delay: delay)
  }

  /// The user of a valid token; an invalid one is refused later.
  private func account(of request: Request) -> String? {
    guard case .token(let token) = gateway.bearer(request),
      let claims = try? gateway.signer.verify(token, skew: RestRoutes.clockSkew)
    else { return nil }
    return claims.subject
  }
}
