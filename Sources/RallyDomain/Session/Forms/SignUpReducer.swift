import FoundationEssentials
import RallyClient
import RallyState
import RallyWire

/// The sign-up form.
public struct SignUpReducer: Reducer {
  public struct State: Draft {
    /// A remote server also asks for an e-mail address and a display name.
    public var serverKind: ServerKind {
      didSet { if serverKind != oldValue { forgetRefusal() } }
    }
    public var username: String {
      didSet { if username != oldValue { edited(.username) } }
    }
    public var email = "" {
      didSet { if email != oldValue { edited(.email) } }
    }
    public var password = "" {
      didSet { if password != oldValue, !password.isEmpty { edited(.password) } }
    }
    /// Optional; defaults to the username.
    public var displayName = "" {
      didSet { if displayName != oldValue { edited(.displayName) } }
    }
    /// The code of the link that the person came by: then a username and a password are enough.
    public let invitation: InvitationCode?
    /// The invitation code; only asked for if the server requires one.
    public var code = "" {
      didSet { if code != oldValue { edited(.code) } }
    }
    /// The server's sign-up policy; assumed open until it is known.
    public var policy = SignUpPolicy.open
    public var isPasswordShown = false
    public var touchedFields: Set<FieldProblem.Field> = []
    public var submission: LoadableValue<UUID, DraftFailure> = .idle {
      // Clear the password as soon as it is not needed.
      didSet { if submission.value != nil { password = "" } }
    }

    public init(
      serverKind: ServerKind, username: String = "", invitation: InvitationCode? = nil
    ) {
      self.serverKind = serverKind
      self.invitation = invitation
      self.username = username
    }

    public var fields: [FieldProblem.Field] {
      let own: [FieldProblem.Field] =
        asksEmail ? [.email, .username, .displayName, .password] : [.username, .password]
      return asksCode ? own + [.code] : own
    }

    /// Neither does the embedded server ask for an address, nor one that a link leads to.
    var asksEmail: Bool { serverKind == .remote && invitation == nil }

    private var asksCode: Bool { policy == .invited && invitation == nil }

    /// The address derived from the username, where none is asked for; nil while the username is
    /// invalid.
    public var derivedEmail: String? {
      guard !asksEmail, let name = try? Username(username) else { return nil }
      return ProfileText.derivedEmail(for: name)
    }

    /// The validated values of the form.
    ///
    /// - Throws: `FieldProblem` for the first invalid field.
    func account() throws(FieldProblem) -> NewAccount {
      let name = try Username(username)
      let asksAll = asksEmail
      let hasDisplayName = asksAll && !displayName.allSatisfy(\.isWhitespace)
      return NewAccount(
        email: asksAll ? try ProfileText.email(email) : ProfileText.derivedEmail(for: name),
        password: try ProfileText.password(password), username: name,
        displayName: hasDisplayName ? try ProfileText.displayName(displayName) : nil,
        invitation: asksCode ? try InvitationCode(code) : invitation)
    }

    public func check(_ field: FieldProblem.Field) -> FieldProblem? {
      do {
        switch field {
        case .username: _ = try Username(username)
        case .email: _ = try ProfileText.email(email)
        case .password: _ = try ProfileText.password(password)
        case .code: _ = try InvitationCode(code)
        case .displayName:
          if !displayName.allSatisfy(\.isWhitespace) {
            _ = try ProfileText.displayName(displayName)
          }
        default: break
        }
        return nil
      } catch {
        return error
      }
    }
  }

  public enum Request: Hashable, Sendable {
    /// Fetches the sign-up policy; if that fails the form stays as it is.
    case fetchPolicy
    /// Creates the account if every field is valid; otherwise shows the problems.
    case submit
  }

  public typealias Environment = SessionFormEnvironment

  public init() {}

  public func reduce(store: Store<Self>, request: Request) async {
    switch request {
    case .fetchPolicy: await fetchPolicy(store: store)
    case .submit: await submit(store: store)
    }
  }

  private func fetchPolicy(store: Store<Self>) async {
    // Silent: without an answer the form asks for no code, and creating the account says it.
    let settings = await withEnvironment(store: store, keyPath: \.serverHealthService) {
      try? await $0.fetchSettings()
    }
    guard let policy = settings?.signUp else { return }
    modifyValue(store: store, \.policy) { $0 = policy }
  }

  // Not cancellable: the account may exist by then.
  private func submit(store: Store<Self>) async {
    modifyValue(store: store, \.touchedFields) { $0.formUnion(store.fields) }
    guard store.canSubmit, let account = try? store.state.account() else { return }
    let asksEmail = store.state.asksEmail
    await load(store: store, keyPath: \.submission) { environment throws(DraftFailure) in
      do throws(AuthError) {
        let session = try await environment.authService.signUp(
          email: account.email, password: account.password, username: account.username.value,
          displayName: account.displayName, invitation: account.invitation)
        return session.user.id
      } catch .emailTaken where !asksEmail {
        // The address was derived from the username.
        throw DraftFailure(AuthError.usernameTaken)
      } catch .file {
        return try await environment.signedInUserID()
      } catch {
        throw DraftFailure(error)
      }
    }
    if case .failed(let failed) = store.submission,
      case .field(let problem) = failed.failure, problem.field == .code
    {
      // The server requires a code that the form did not ask for.
      modifyValue(store: store, \.policy) { $0 = .invited }
    }
    announceAccount(store.submission.value, store: store)
  }
}

/// The validated values of a sign-up form.
struct NewAccount: Hashable, Sendable {
  let email: String
  let password: String
  let username: Username
  /// Nil to use the username.
  let displayName: String?
  /// Nil if the server does not require one.
  var invitation: InvitationCode?
}
