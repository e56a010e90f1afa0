import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import RallyRules
import RallyStorage
import RallyText
import RallyWire

/// `/auth/v1`: from requests to accounts and sessions, and back in GoTrue's shapes.
struct AuthRoutes: Sendable {
  typealias Context = ServerRequestContext

  let accounts: Accounts
  let sessions: Sessions
  let gateway: Gateway
  let limiter: RateLimiter
  let budgets: BudgetKeeper
  /// How the group reaches this server, and by SSH.
  var publicURL: String?
  var ssh: String?

  func add(to router: Router<Context>) {
    let auth = router.group("auth/v1")
      .add(middleware: AuthErrorMiddleware())
      .add(middleware: GatewayMiddleware(gateway: gateway))
    auth.post("signup", use: signUp)
    auth.post("token", use: token)
    auth.post("logout", use: logout)
    auth.post("recover", use: recover)
    auth.get("user", use: user)
    auth.put("user", use: updateUser)
    auth.delete("user", use: deleteUser)
    auth.get("settings") { [self] _, _ in Response.json(settings) }
    auth.get("health") { _, _ in
      // Clients compare their clock with it.
      Response.json(AuthRoutes.health, headers: [.date: WireTime.now.httpDate])
    }
    // Public, as the hosted gateway has it. One secret signs everything here, so there is no key to
    // show; clients then ask `/user`.
    router.get("auth/v1/.well-known/jwks.json") { _, _ in
      Response.json(["keys": []])
    }
  }

  // MARK: - Without a session (whatever `Authorization` says)

  @Sendable private func signUp(_ request: Request, _ context: Context) async throws -> Response {
    try await limit(.signUp, context)
    let body = try await Self.decode(Accounts.Credentials.self, from: request, within: budgets)
    try await limitGuess(.signUp, body, context)
    let session = try await accounts.signUp(body, issuer: Self.issuer(of: request))
    try await limiter.remember(account: body.account, at: context.clientAddress)
    return try .json(session)
  }

  @Sendable private func token(_ request: Request, _ context: Context) async throws -> Response {
    switch request.uri.queryParameters["grant_type"] {
    case "password":
      try await limit(.signIn, context)
      let body = try await Self.decode(Accounts.Credentials.self, from: request, within: budgets)
      // The same for an account that does not exist, so that this reveals nothing either.
      try await limitGuess(.signIn, body, context)
      let session = try await accounts.signIn(body, issuer: Self.issuer(of: request))
      try await limiter.didEnter(.signIn, account: body.account, from: context.clientAddress)
      return try .json(session)
    case "refresh_token":
      struct Body: Decodable { var refresh_token: String? }
      try await limit(.refresh, context)
      let body = try await Self.decode(Body.self, from: request, within: budgets)
      try await limit(.refresh, account: sessions.family(of: body.refresh_token))
      let session = try await sessions.refresh(body.refresh_token, issuer: Self.issuer(of: request))
      if let email = session.user.email {
        try await limiter.remember(account: email, at: context.clientAddress)
      }
      return try .json(session)
    default:
      throw AuthRefusal(400, .invalidCredentials, "unsupported_grant_type")
    }
  }

  /// An honest no: nobody should wait for a mail that is never sent.
  @Sendable private func recover(_ request: Request, _ context: Context) async throws -> Response {
    try await limit(.signIn, context)
    _ = try await Self.decode(Accounts.Credentials.self, from: request, within: budgets)
    throw AuthRefusal.noMail
  }

  // MARK: - With a session

  @Sendable private func logout(_ request: Request, _ context: Context) async throws -> Response {
    let caller = try caller(request, context)
    let scope = request.uri.queryParameters["scope"].map(String.init) ?? "global"
    guard let scope = LogoutScope(rawValue: scope) else {
      throw AuthRefusal(400, .validationFailed, "Unsupported logout scope")
    }
    try await sessions.signOut(scope, caller: caller)
    return Response(status: .noContent)
  }

  @Sendable private func user(_ request: Request, _ context: Context) async throws -> Response {
    try .json(try await accounts.user(caller(request, context)))
  }

  @Sendable private func updateUser(
    _ request: Request, _ context: Context
  ) async throws -> Response {
    let caller = try caller(request, context)
    let changes = try await Self.decode(Accounts.Changes.self, from: request, within: budgets)
    // Each reveals whether a guess at the present password is right, and costs several hashes.
    if changes.isSensitive {
      try await limit(.passwordChange, context)
      try await limit(.passwordChange, account: caller.userID)
    }
    return try .json(try await accounts.update(changes, caller: caller))
  }

  /// Rally's own: GoTrue leaves it to its operator.
  @Sendable private func deleteUser(
    _ request: Request, _ context: Context
  ) async throws -> Response {
    struct Body: Decodable { var password: String? }
    let caller = try caller(request, context)
    let body = try await Self.decode(Body.self, from: request, within: budgets)
    // It reveals whether a guess at the password is right.
    try await limit(.passwordChange, context)
    try await limit(.passwordChange, account: caller.userID)
    try await accounts.delete(password: body.password, caller: caller)
    return Response(status: .noContent)
  }

  private func caller(_ request: Request, _ context: Context) throws -> Caller {
    guard let header = request.headers[.authorization],
      header.split(separator: " ").first?.lowercased() == "bearer"
    else { throw AuthRefusal.noBearer }
    do {
      guard let caller = try context.currentClaims().flatMap(Caller.init) else {
        throw AuthRefusal.noSubject
      }
      return caller
    } catch let problem as TokenProblem {
      throw AuthRefusal(problem)
    }
  }

  // MARK: - Shared

  private func limit(
    _ kind: RateLimiter.Kind, _ context: Context? = nil, account: String? = nil
  ) async throws {
    if let delay = try await limiter.delay(kind, address: context?.clientAddress, account: account)
    {
      throw AuthRefusal.rateLimited(delay)
    }
  }

  private func limitGuess(
    _ kind: RateLimiter.Kind, _ body: Accounts.Credentials, _ context: Context
  ) async throws {
    if let delay = try await limiter.guessDelay(
      kind, account: body.account, isAccount: try await accounts.isThere(body),
      address: context.clientAddress)
    {
      throw AuthRefusal.rateLimited(delay)
    }
  }

  /// A short body, since most of them come from people who are not known yet.
  ///
  /// - Throws: `AuthRefusal` for a body that is none of this type; `NIOTooManyBytesError`.
  static func decode<T: Decodable>(
    _ type: T.Type, from request: Request, within budgets: BudgetKeeper
  ) async throws -> T {
    let body = try await request.body.collect(within: budgets, atMost: RequestBody.strangersLimit)
    do {
      return try T(from: ArgumentDecoder(value: try WireJSON.value(of: body.readableBytesView)))
    } catch {
      throw AuthRefusal(400, .badJSON, "Could not parse request body as JSON")
    }
  }

  /// The address under which a client reached `/auth/v1`.
  static func issuer(of request: Request) -> String {
    "\(request.head.scheme ?? "http")://\(request.head.authority ?? "localhost")/auth/v1"
  }

  /// GoTrue's keys. Who may sign up, and how the group is reached, is in keys of Rally's own, which
  /// GoTrue's clients pass over.
  private var settings: JSONValue {
    let policy = accounts.gate.policy
    var settings: [String: JSONValue] = [
      "external": ["email": true, "phone": false, "anonymous_users": false],
      "mfa_enabled": false, "passkeys_enabled": false,
      "disable_signup": .bool(policy == .closed), "rally_signup": .string(policy.rawValue),
      "mailer_autoconfirm": true, "phone_autoconfirm": false, "sms_provider": "",
      "saml_enabled": false,
    ]
    settings[AuthSettings.publicURLKey] = publicURL.map(JSONValue.string)
    settings[AuthSettings.sshKey] = ssh.map(JSONValue.string)
    return .object(settings)
  }

  private static let health = Data(
    JSONWriter.bytes(of: [
      "name": "GoTrue", "version": .string(RallyVersion.current),
      "description": "Rally's own answer to GoTrue",
    ]))
}

/// Writes refusals of `/auth/v1` in the form that the client's API version asks for.
struct AuthErrorMiddleware: ErrorMiddleware {
  func response(
    to error: any Error, of request: Request, _ context: ServerRequestContext
  ) throws -> Response {
    let refusal =
      switch error {
      case let refusal as AuthRefusal: refusal
      case let error as HTTPError:
        AuthRefusal(error.status.code, .validationFailed, error.body ?? "Bad request")
      case is NIOTooManyBytesError:
        AuthRefusal(413, .validationFailed, "The request body is too large.")
      default: AuthErrorMiddleware.unexpected(error, context)
      }
    return try AuthErrorMiddleware.response(refusal, to: request)
  }

  private static func unexpected(
    _ error: any Error, _ context: ServerRequestContext
  ) -> AuthRefusal {
    context.logger.error("auth: \(error)")
    let refusal = (error as? StorageFailure)?.refusal
    return AuthRefusal(
      refusal?.status ?? 500, .unexpectedFailure,
      refusal?.message ?? "Unexpected failure, please try again")
  }

  static func response(_ refusal: AuthRefusal, to request: Request) throws -> Response {
    let wantsCode = (request.headers[.apiVersion] ?? "") >= AuthFailure.version
    var body: [String: JSONValue] =
      wantsCode
      ? [
        "code": .string(refusal.failure.code.rawValue),
        "message": .string(refusal.failure.message),
      ]
      : [
        "code": .integer(Int64(refusal.status)),
        "error_code": .string(refusal.failure.code.rawValue),
        "msg": .string(refusal.failure.message),
      ]
    if refusal.status >= 500, !wantsCode { body["error_id"] = .string(UUID().wireText) }
    if let reasons = refusal.weakness {
      body["weak_password"] = ["reasons": .array(reasons.map(JSONValue.string))]
    }
    var headers: HTTPFields = [.authErrorCode: refusal.failure.code.rawValue]
    if wantsCode { headers[.apiVersion] = AuthFailure.version }
    if let delay = refusal.retryAfter { headers[.retryAfter] = String(delay) }
    return try .json(body, status: .init(code: refusal.status), headers: headers)
  }
}

/// `/auth/v1/ssh`: for the SSH door of the server's host, and nobody else.
struct SSHDoorRoutes: Sendable {
  typealias Context = ServerRequestContext

  let door: SSHDoor
  let gateway: Gateway
  let budgets: BudgetKeeper

  func add(to router: Router<Context>) {
    let group = router.group("")
      .add(middleware: AuthErrorMiddleware())
      .add(middleware: GatewayMiddleware(gateway: gateway))
    group.post(RouterPath(SSHDoorPath.ticket), use: ticket)
    group.post(RouterPath(SSHDoorPath.session), use: session)
  }

  @Sendable private func ticket(_ request: Request, _ context: Context) async throws -> Response {
    let question = try await body(SSHTicketQuestion.self, from: request)
    guard let ticket = try await door.ticket(for: question) else {
      return Response(status: .noContent)
    }
    return try .json(ticket)
  }

  @Sendable private func session(_ request: Request, _ context: Context) async throws -> Response {
    let ticket = try await body(SSHTicket.self, from: request)
    return try .json(try await door.admission(for: ticket, issuer: AuthRoutes.issuer(of: request)))
  }

  private func body<T: Decodable>(_ type: T.Type, from request: Request) async throws -> T {
    guard case .token(let token) = gateway.bearer(request) else { throw AuthRefusal.noBearer }
    try door.requireDoor(token)
    return try await AuthRoutes.decode(type, from: request, within: budgets)
  }
}
