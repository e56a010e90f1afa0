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
  private let broadcasts: BroadcastRoutes
  let seats: SocketSeats

  init(
    configuration: ServerConfiguration, storage: Storage, keys: ServerKeys,
    presence: OnlineDirectory, hub: RealtimeHub
  ) {
    gateway = Gateway(apiKey: keys.apiKey, signer: TokenSigner(key: keys.secret))
    seats = SocketSeats(limit: configuration.realtime.sockets)
    broadcasts = BroadcastRoutes(hub: hub, storage: storage, gateway: gateway)
    let issuer = SessionIssuer(
      signer: gateway.signer, lifetime: configuration.accessTokenLifetime)
    auth = AuthRoutes(
      accounts: Accounts(
        storage: storage, hasher: PasswordHasher(cost: configuration.passwordCost),
        issuer: issuer),
      sessions: Sessions(
        storage: storage, issuer: issuer, reuseInterval: configuration.refreshReuseInterval),
      gateway: gateway, limiter: RateLimiter(limits: configuration.rateLimits))
    rest = RestRoutes(
      functions: FunctionTable(presence: presence), storage: storage, gateway: gateway)
  }

  /// The routes of a listener; only a private Unix socket tells the key.
  func router(for listener: ServerConfiguration.Listener) -> Router<ServerRequestContext> {
    let router = Router(context: ServerRequestContext.self)
    auth.add(to: router)
    rest.add(to: router)
    RealtimeRoutes(handshake: RealtimeHandshake(gateway: gateway), seats: seats).add(to: router)
    broadcasts.add(to: router)
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
      return try unrouted(request, error.status)
    } catch {
      context.logger.error("request: \(error)")
      return try .json(["message": "Something went wrong here."], status: .internalServerError)
    }
  }

  /// What no route took, in the words of the service whose address it begins with.
  private static func unrouted(
    _ request: Request, _ status: HTTPResponse.Status
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
