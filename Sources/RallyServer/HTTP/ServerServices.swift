import Foundation
import HTTPTypes
import Hummingbird
import NIOHTTP1
import RallyWire

/// Everything that answers over HTTP, put together once and mounted on each listener.
struct ServerServices: Sendable {
  let gateway: Gateway
  private let auth: AuthRoutes
  private let rest: RestRoutes

  init(
    configuration: ServerConfiguration, storage: Storage, keys: KeyRing,
    presence: OnlineDirectory
  ) {
    let limiter = RateLimiter(limits: configuration.rateLimits)
    gateway = Gateway(apiKey: keys.apiKey, signer: TokenSigner(keys: keys))
    let issuer = SessionIssuer(
      signer: gateway.signer, lifetime: configuration.accessTokenLifetime)
    auth = AuthRoutes(
      accounts: Accounts(
        storage: storage, hasher: PasswordHasher(cost: configuration.passwordCost),
        issuer: issuer),
      sessions: Sessions(
        storage: storage, issuer: issuer, reuseInterval: configuration.refreshReuseInterval),
      gateway: gateway, limiter: limiter)
    rest = RestRoutes(
      functions: FunctionTable(presence: presence), storage: storage, gateway: gateway,
      limits: RateLimitMiddleware(limiter: limiter, gateway: gateway))
  }

  /// The routes of a listener; only a private Unix socket tells the key.
  func router(for listener: ServerConfiguration.Listener) -> Router<ServerRequestContext> {
    let router = Router(context: ServerRequestContext.self)
    auth.add(to: router)
    rest.add(to: router)
    RealtimeRoutes(handshake: RealtimeHandshake(gateway: gateway)).add(to: router)
    if case .unixSocket = listener {
      let greeting = ServerGreeting(
        key: gateway.apiKey, pid: getpid(), version: RallyVersion.current)
      router.get(RouterPath(ServerGreeting.path)) { _, _ in try Response.json(greeting) }
    }
    return router
  }

  /// Answers a request; whatever no route explained becomes JSON too.
  static func respond(
    to request: Request, with responder: some HTTPResponder<ServerRequestContext>,
    _ context: ServerRequestContext
  ) async throws -> Response {
    do {
      return try await responder.respond(to: request, context: context)
    } catch let error as HTTPParserError {
      throw error
    } catch let error as any HTTPResponseError {
      return try .json(["message": error.status.reasonPhrase], status: error.status)
    } catch {
      context.logger.error("request: \(error)")
      return try .json(["message": "Something went wrong here."], status: .internalServerError)
    }
  }
}
