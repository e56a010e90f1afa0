import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import RallyRules
import RallyStorage
import RallyWire

/// Everything that answers over HTTP, put together once and mounted on each listener.
struct ServerServices: Sendable {
  let gateway: Gateway
  let trace: RequestTrace
  let readiness = Readiness()
  private let storage: Storage
  private let hasher: PasswordHasher
  private let auth: AuthRoutes
  private let rest: RestRoutes
  private let broadcasts: BroadcastRoutes
  private let phones: PhoneRoutes
  private let calendar: CalendarRoute
  private let sshDoor: SSHDoorRoutes
  private let streets: StreetsRoute?
  private let invitations: InvitationRoutes
  private let watch: WatchRoutes
  let webSocketLimiter: WebSocketLimiter

  init(
    configuration: ServerConfiguration, storage: Storage, gateway: Gateway, marks: CellMarks,
    presence: PresentUsers, hub: RealtimeHub, watchPages: WatchPages, limiter: RateLimiter,
    metrics: ServerMetrics
  ) {
    let budgets = limiter.budgets
    self.storage = storage
    self.gateway = gateway
    hasher = PasswordHasher(cost: configuration.passwordCost)
    let moves = CellMoves(delay: configuration.moveDelay, marks: marks)
    let isSecure = configuration.publicURL?.lowercased().hasPrefix("https://") == true
    let functions = FunctionTable(
      presence: presence, moves: moves, limiter: limiter, signer: gateway.signer,
      isSecure: isSecure, now: configuration.now)
    phones = PhoneRoutes(
      inbox: PhoneInbox(
        storage: storage, moves: moves, limiter: limiter, reads: functions.reads,
        now: configuration.now),
      friends: PhoneFriends(storage: storage, budgets: budgets, now: configuration.now),
      budgets: budgets)
    calendar = CalendarRoute(storage: storage, reads: functions.reads, limiter: limiter)
    trace = RequestTrace(metrics: metrics, functions: Set(functions.names))
    webSocketLimiter = WebSocketLimiter(budgets: budgets)
    broadcasts = BroadcastRoutes(
      hub: hub, storage: storage, gateway: gateway, budgets: budgets, reads: functions.reads)
    invitations = InvitationRoutes(
      storage: storage, gateway: gateway, limiter: limiter, ssh: configuration.sshCommand,
      now: configuration.now)
    watch = WatchRoutes(
      storage: storage, limiter: limiter, pages: watchPages,
      functions: WatchFunctions(budgets: budgets, isSecure: isSecure, now: configuration.now),
      now: configuration.now)
    streets = configuration.streets.map {
      StreetsRoute(file: $0, gateway: gateway, storage: storage)
    }
    let issuer = SessionIssuer(signer: gateway.signer, lifetime: configuration.accessTokenLifetime)
    auth = AuthRoutes(
      accounts: Accounts(
        storage: storage, hasher: hasher,
        issuer: issuer,
        gate: SignUpGate(
          policy: configuration.signUpPolicy,
          invitations: InvitationFunctions(friends: FriendFunctions(presence: presence))),
        now: configuration.now),
      sessions: Sessions(
        storage: storage, issuer: issuer, reuseInterval: configuration.refreshReuseInterval,
        now: configuration.now),
      gateway: gateway, limiter: limiter, budgets: budgets, publicURL: configuration.publicURL,
      ssh: configuration.sshCommand)
    sshDoor = SSHDoorRoutes(
      door: SSHDoor(
        storage: storage, issuer: issuer, policy: configuration.signUpPolicy,
        now: configuration.now),
      gateway: gateway, budgets: budgets)
    rest = RestRoutes(
      functions: functions, storage: storage, gateway: gateway, budgets: budgets,
      limits: RateLimitMiddleware(limiter: limiter))
  }

  /// The routes of a listener; only a private Unix socket gives the key away.
  func router(for listener: ServerConfiguration.Listener) -> Router<ServerRequestContext> {
    let router = Router(context: ServerRequestContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: UnroutedMiddleware())
    OperationRoutes(readiness: readiness, storage: storage, metrics: nil).add(to: router)
    auth.add(to: router)
    rest.add(to: router)
    RealtimeRoutes(
      handshake: RealtimeHandshake(gateway: gateway), webSocketLimiter: webSocketLimiter
    ).add(to: router)
    broadcasts.add(to: router)
    phones.add(to: router)
    calendar.add(to: router)
    sshDoor.add(to: router)
    streets?.add(to: router)
    invitations.add(to: router)
    watch.add(to: router)
    if case .unixSocket = listener {
      let greeting = ServerGreeting(
        key: gateway.apiKey, pid: getpid(), version: RallyVersion.current)
      router.get(RouterPath(ServerGreeting.path)) { _, _ in try Response.json(greeting) }
    }
    return router
  }

  /// Whether a request comes through an SSH door, which shows its token in `SSHDoorPath.header`.
  func isDoor(_ token: String?) -> Bool {
    guard let token else { return false }
    return (try? sshDoor.door.requireDoor(token)) != nil
  }

  /// Counts a connection for whom its request shows.
  ///
  /// - Parameter claims: What its token says; nil without a valid one.
  /// - Returns: The answer to a person with too many connections.
  func refusal(
    of request: Request, by claims: AccessClaims?, on channel: any Channel,
    among connections: ConnectionRegistry
  ) throws -> Response? {
    let door = HTTPField.Name(SSHDoorPath.header).flatMap { request.headers[$0] }
    if door != nil, !connections.isDoor(channel), isDoor(door) {
      connections.enterDoor(channel)
    }
    guard let person = claims?.subject, !connections.identify(channel, as: person) else {
      return nil
    }
    return try FunctionErrorMiddleware.response(
      FunctionFailure(
        code: "PT429",
        message: "You have too many connections to this server; close some of your programs."),
      status: 429, headers: [.retryAfter: "10", .connection: "close"])
  }

  /// The routes where an operator asks.
  func operatorRouter(
    metrics: @escaping @Sendable () async -> String
  ) -> Router<ServerRequestContext> {
    let router = Router(context: ServerRequestContext.self, options: .autoGenerateHeadEndpoints)
    OperationRoutes(readiness: readiness, storage: storage, metrics: metrics).add(to: router)
    return router
  }

  /// What storage and passwords have before them.
  var waiting: (writes: Int, hashes: Int) { (storage.waitingWrites, hasher.waiting) }

  /// Answers a request. Whatever no route explained becomes JSON too. No body follows the head
  /// where only that was requested: it would be read as the beginning of the next answer.
  func respond(
    to request: Request, with responder: some HTTPResponder<ServerRequestContext>,
    _ context: ServerRequestContext
  ) async throws -> Response {
    var response = try await trace.respond(to: request, context) { request, context in
      do {
        return try await responder.respond(to: request, context: context)
      } catch let error as HTTPParserError {
        throw error
      } catch {
        context.logger.error("request: \(error)")
        return try .json(["message": "Something went wrong here."], status: .internalServerError)
      }
    }
    // Tokens, positions, messages: nothing is for a cache on the way or on a disk, unless its route
    // says otherwise.
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    return request.method == .head ? response.createHeadResponse() : response
  }
}
