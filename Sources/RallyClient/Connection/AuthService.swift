import FoundationEssentials
import Logging
import RallyEnvironment
import RallySystem
import RallyText
import RallyWire

/// Accounts and sessions: who is signed in, signing up, in and out.
public final class AuthService: Sendable {
  public static let shared = AuthService(client: .shared)

  private let client: SupabaseClient
  private let log = RallyLog.logger("Auth")

  public init(client: SupabaseClient) { self.client = client }

  /// The signed-in user; nil for nobody.
  public var currentUserID: UUID? {
    get async { await currentSession?.user.id }
  }

  /// The session stored on this machine, also offline; nil if nobody is signed in.
  public var currentSession: AuthSession? {
    get async { await (try? client.configured())?.keeper.current() }
  }

  /// Why the session is lost when the program ends; nil if it is kept.
  public var unkeptSession: FileError? {
    get async { await (try? client.configured())?.keeper.unkept }
  }

  /// All session events from now on; ends with the reader's task.
  public func sessionEvents() -> AsyncStream<SessionEvent> {
    guard let connection = try? client.configured() else { return AsyncStream { $0.finish() } }
    return connection.keeper.events.stream()
  }

  /// Restores the session that an earlier run stored; makes no request, so it works offline.
  @discardableResult
  public func restoreSession() async -> AuthSession? {
    let session = await currentSession
    log.info("restoreSession — found: \(session != nil)")
    return session
  }

  /// Creates an account and signs in.
  ///
  /// - Parameters:
  ///   - displayName: nil or empty uses the username.
  ///   - invitation: Needed where sign-up is by invitation; accepted with the account.
  /// - Throws: `AuthError`, with the field it belongs to, if any; `.file` if the account is there and
  ///   signed in, but is not kept for the next start.
  @discardableResult
  public func signUp(
    email: String, password: String, username: String, displayName: String? = nil,
    invitation: InvitationCode? = nil
  ) async throws(AuthError) -> AuthSession {
    do {
      let name = try Username(username)
      let shown = displayName?.trimmed ?? ""
      let body = SignUpBody(
        email: try ProfileText.email(email), password: try ProfileText.password(password),
        data: SignUpData(
          username: name.value,
          displayName: shown.isEmpty ? name.value : try ProfileText.displayName(shown),
          invitationCode: invitation?.value))
      let answer = try await post("/auth/v1/signup", body)
      if (try? answer.decoded(AuthSession.self)) == nil,
        (try? answer.decoded(AuthUser.self)) != nil
      {
        throw AuthError.emailUnconfirmed
      }
      return try await adopt(answer, action: "signUp")
    } catch {
      log.error("signUp — failed: \(AuthError(error).logDetail)")
      throw AuthError(error)
    }
  }

  /// - Throws: `AuthError`; `.file` if it is signed in, but is not kept for the next start.
  @discardableResult
  public func signIn(email: String, password: String) async throws(AuthError) -> AuthSession {
    do {
      let body = PasswordGrantBody(email: try ProfileText.email(email), password: password)
      return try await adopt(
        post("/auth/v1/token?grant_type=password", body), action: "signIn")
    } catch {
      log.error("signIn — failed: \(AuthError(error).logDetail)")
      throw AuthError(error)
    }
  }

  /// Takes a session that was begun elsewhere.
  ///
  /// - Throws: `AuthError.network(.notConfigured)` without a server.
  public func take(_ session: AuthSession) async throws(AuthError) {
    do {
      try await client.configured().keeper.adopt(session)
      log.info("take — user: \(session.user.id.wireText)")
    } catch {
      log.error("take — failed: \(AuthError(error).logDetail)")
      throw AuthError(error)
    }
  }

  /// Ends the session here at once, then on the server if that can be reached within 5 s.
  ///
  /// - Returns: Whether the server has ended the session. Otherwise it is good there until a new
  ///   password ends it; its tokens are deleted here.
  /// - Throws: `AuthError.network(.notConfigured)` without a server; never if it cannot be reached.
  @discardableResult
  public func signOut() async throws(AuthError) -> Bool {
    do {
      let connection = try client.configured()
      guard let session = await connection.keeper.surrender() else { return true }
      do {
        try await Deadline.within(.seconds(5)) {
          try await Self.end(session, over: connection)
        }
        log.info("signOut — ended on the server")
        return true
      } catch NetworkError.auth(let failure, _) where failure.code.endsSession {
        log.info("signOut — over already: \(failure.code.rawValue)")
        return true
      } catch {
        log.info("signOut — not ended on the server: \(error.logLabel)")
        return false
      }
    } catch {
      throw AuthError(error)
    }
  }

  /// Deletes my account with everything of mine on the server, for good, and ends the session here.
  ///
  /// - Throws: `AuthError`, such as `.invalidCredentials` for another password than mine; then nothing
  ///   has changed.
  public func deleteAccount(password: String) async throws(AuthError) {
    do {
      let connection = try client.configured()
      var request = ServerConnection.Request(method: .delete, path: "/auth/v1/user")
      request.body = try WireJSON.encode(["password": password])
      request.success = .nothing
      _ = try await connection.sendAsPerson(request)
      log.info("deleteAccount — done")
      await connection.keeper.end(.signedOut)
    } catch {
      log.error("deleteAccount — failed: \(AuthError(error).logDetail)")
      throw AuthError(error)
    }
  }

  /// Ends a session on the server, with a new token where its own is too old: an hour after the last
  /// call it always is.
  private static func end(
    _ session: AuthSession, over connection: ServerConnection
  ) async throws {
    var request = ServerConnection.Request(path: "/auth/v1/logout?scope=local")
    request.success = .nothing
    request.isRepeatable = true
    if await connection.keeper.isFresh(session) {
      do {
        _ = try await connection.send(request, bearer: session.accessToken)
        return
      } catch NetworkError.auth(let failure, _) where failure.code == .badJWT {
        // By the server's clock it is too old.
      }
    }
    let renewed = try await connection.keeper.renew(session)
    _ = try await connection.send(request, bearer: renewed.accessToken)
  }

  private func post(_ path: String, _ body: some Encodable) async throws -> ServerAnswer {
    try await client.configured().send(
      ServerConnection.Request(path: path, body: WireJSON.encode(body)), bearer: nil)
  }

  private func adopt(_ answer: ServerAnswer, action: String) async throws -> AuthSession {
    let session = try answer.decoded(AuthSession.self)
    try await client.configured().keeper.adopt(session)
    log.info("\(action) — user: \(session.user.id.wireText)")
    return session
  }
}

private struct AuthServiceKey: EnvironmentKey {
  static var defaultValue: AuthService { .shared }
}

extension EnvironmentValues {
  public var authService: AuthService {
    get { self[AuthServiceKey.self] }
    set { self[AuthServiceKey.self] = newValue }
  }
}
