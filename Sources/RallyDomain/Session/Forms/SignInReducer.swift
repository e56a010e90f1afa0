import FoundationEssentials
import RallyClient
import RallyState
import RallyWire

/// The sign-in form.
public struct SignInReducer: Reducer {
  public struct State: Draft {
    /// Decides whether `login` is a username (or its derived e-mail address) or an e-mail address.
    public var serverKind: ServerKind {
      didSet { if serverKind != oldValue { forgetRefusal() } }
    }
    /// A username or an e-mail address, depending on `serverKind`.
    public var login: String {
      didSet { if login != oldValue { edited(loginField) } }
    }
    public var password = "" {
      didSet { if password != oldValue, !password.isEmpty { edited(.password) } }
    }
    public var isPasswordShown = false
    public var touchedFields: Set<FieldProblem.Field> = []
    public var submission: LoadableValue<UUID, DraftFailure> = .idle {
      // Clear the password as soon as it is not needed.
      didSet { if submission.value != nil { password = "" } }
    }

    public init(serverKind: ServerKind, login: String = "") {
      self.serverKind = serverKind
      self.login = login
    }

    public var loginField: FieldProblem.Field { serverKind == .embedded ? .username : .email }

    public var fields: [FieldProblem.Field] { [loginField, .password] }

    /// The e-mail address to sign in with.
    ///
    /// - Throws: `FieldProblem` if the login is not valid.
    public func email() throws(FieldProblem) -> String {
      // A leading @ is part of a handle; an @ further on makes it an address. Who came to a shared
      // server by a link has no address but the derived one.
      if login.isEmpty && serverKind == .remote || login.dropFirst().contains("@") {
        do {
          return try ProfileText.email(login)
        } catch {
          throw FieldProblem(field: loginField, advice: error.advice)
        }
      }
      do {
        return ProfileText.derivedEmail(for: try Username(login))
      } catch {
        throw FieldProblem(field: loginField, advice: error.advice)
      }
    }

    public func check(_ field: FieldProblem.Field) -> FieldProblem? {
      switch field {
      case .username, .email:
        do { _ = try email() } catch { return error }
      case .password:
        if password.isEmpty {
          return FieldProblem(field: .password, advice: "Type your password.")
        }
      default: break
      }
      return nil
    }
  }

  public enum Request: Hashable, Sendable {
    /// Signs in if every field is valid; otherwise shows the problems.
    case submit
    /// Cancels the request.
    case cancel
  }

  public typealias Environment = SessionFormEnvironment

  public init() {}

  public func reduce(store: Store<Self>, request: Request) async {
    switch request {
    case .submit:
      await submit(store: store)
    case .cancel:
      cancel(store: store, keyPath: \.submission)
    }
  }

  private func submit(store: Store<Self>) async {
    modifyValue(store: store, \.touchedFields) { $0.formUnion(store.fields) }
    guard store.canSubmit, let email = try? store.state.email() else { return }
    let password = store.password
    await load(store: store, keyPath: \.submission) { environment throws(DraftFailure) in
      do throws(AuthError) {
        return try await environment.authService.signIn(email: email, password: password).user.id
      } catch .file {
        return try await environment.signedInUserID()
      } catch {
        throw DraftFailure(error)
      }
    }
    announceAccount(store.submission.value, store: store)
  }
}

/// What the forms depend on that sign a person in or up.
public struct SessionFormEnvironment: Sendable {
  let authService: AuthService
  let serverHealthService: ServerHealthService
  let broadcastStudio: BroadcastStudio

  public init(
    authService: AuthService, serverHealthService: ServerHealthService,
    broadcastStudio: BroadcastStudio = .shared
  ) {
    self.authService = authService
    self.serverHealthService = serverHealthService
    self.broadcastStudio = broadcastStudio
  }

  /// Who is signed in, where the session could not be kept: it holds as long as the program runs,
  /// and `AuthService.unkeptSession` says why.
  func signedInUserID() async throws(DraftFailure) -> UUID {
    guard let userID = await authService.currentUserID else { throw DraftFailure(.signedOut) }
    return userID
  }
}

extension Reducer where Environment == SessionFormEnvironment {
  /// Broadcasts that another account is signed in; nil does nothing.
  @MainActor func announceAccount(_ userID: UUID?, store: Store<Self>) {
    guard let userID else { return }
    withEnvironment(store: store, keyPath: \.broadcastStudio) {
      broadcast(AccountChanged(originatingFrom: store, userID: userID), through: $0)
    }
  }
}
