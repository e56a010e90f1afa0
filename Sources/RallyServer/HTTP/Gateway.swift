import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import RallyRules
import RallyStorage
import RallyWire

/// Checks the API key of requests, and reads their bearer token.
package struct Gateway: Sendable {
  let apiKey: String
  let signer: TokenSigner

  package init(apiKey: String, signer: TokenSigner) {
    self.apiKey = apiKey
    self.signer = signer
  }

  /// The bearer of a request; the API key itself counts as none.
  enum Bearer: Hashable, Sendable {
    case anonymous
    case token(String)
  }

  /// An invalid API key: 401.
  struct Refusal: Error, Hashable, Sendable, Encodable {
    var message: String
    var hint: String

    static let noKey = Refusal(
      message: "No API key found in request",
      hint: "No `apikey` request header or url param was found.")
    static let badKey = Refusal(
      message: "Invalid API key", hint: "Double check your Supabase `anon` API key.")
  }

  func requireKey(_ request: Request) throws(Refusal) {
    let given =
      request.headers[.apiKey] ?? request.uri.queryParameters["apikey"].map(String.init)
    guard let given else { throw .noKey }
    guard accepts(key: given) else { throw .badKey }
  }

  func accepts(key: String) -> Bool { Sodium.areEqual(Array(key.utf8), Array(apiKey.utf8)) }

  func bearer(_ request: Request) -> Bearer {
    guard let header = request.headers[.authorization] else { return .anonymous }
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return .anonymous }
    let token = String(parts[1])
    return accepts(key: token) ? .anonymous : .token(token)
  }

  /// What the token of a request says, with PostgREST's tolerance; nil without a token.
  func verified(_ request: Request) -> Result<AccessClaims?, TokenProblem> {
    guard case .token(let token) = bearer(request) else { return .success(nil) }
    do throws(TokenProblem) {
      return .success(try signer.verify(token, skew: RestRoutes.clockSkew))
    } catch {
      return .failure(error)
    }
  }
}

/// Lets requests pass that carry the API key.
struct GatewayMiddleware: RouterMiddleware {
  typealias Context = ServerRequestContext

  let gateway: Gateway

  func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    do throws(Gateway.Refusal) {
      try gateway.requireKey(request)
    } catch {
      return try .json(error, status: .unauthorized)
    }
    return try await next(request, context)
  }
}

struct ServerRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The client's address; nil on a Unix socket.
  var clientAddress: ClientAddress?
  /// What the request's token says, with PostgREST's tolerance; nil without a token. It is verified
  /// once, before all routes.
  var claims: Result<AccessClaims?, TokenProblem> = .success(nil)
  /// Succeeds when the connection is closed.
  let closed: EventLoopFuture<Void>

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    clientAddress = ClientAddress(source.channel.remoteAddress)
    closed = source.channel.closeFuture
  }

  /// Who asks, where a token that has expired counts no more; nil without a token.
  ///
  /// - Throws: `TokenProblem`.
  func currentClaims() throws(TokenProblem) -> AccessClaims? {
    guard let claims = try claims.get() else { return nil }
    try claims.requireTime(skew: 0)
    return claims
  }
}

/// Limits how often a client searches, sends friend requests and tries codes under `/rest/v1`.
struct RateLimitMiddleware: RouterMiddleware {
  typealias Context = ServerRequestContext

  let limiter: RateLimiter

  func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    // A table's name is never that of a function.
    let name = context.parameters.get("name") ?? context.parameters.get("table")
    guard let kind = name.flatMap(RateLimiter.Kind.init(name:)) else {
      return try await next(request, context)
    }
    // An invalid token is refused later.
    let account = (try? context.claims.get())?.subject
    if let delay = try await limiter.delay(kind, address: context.clientAddress, account: account) {
      throw RateRefusal(delay: delay)
    }
    return try await next(request, context)
  }
}

/// The secret of a phone, or of a link that a page feeds, in the header of a request.
enum HeaderSecret {
  /// The password of HTTP Basic; the name before it is only a label.
  static func basic(_ request: Request) -> AccessSecret? {
    guard let text = parameter(of: "basic", in: request), let data = Data(base64Encoded: text)
    else { return nil }
    let pair = String(decoding: data, as: UTF8.self)
    guard let colon = pair.firstIndex(of: ":") else { return nil }
    return AccessSecret(pair[pair.index(after: colon)...])
  }

  static func bearer(_ request: Request) -> AccessSecret? {
    parameter(of: "bearer", in: request).flatMap { AccessSecret($0) }
  }

  private static func parameter(of scheme: String, in request: Request) -> String? {
    guard let header = request.headers[.authorization] else { return nil }
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == scheme else { return nil }
    return parts[1].trimmingCharacters(in: .whitespaces)
  }
}
