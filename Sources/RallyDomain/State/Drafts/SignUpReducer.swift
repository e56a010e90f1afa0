import Foundation
import RallyWire

/// The form that creates an account.
public struct SignUpReducer: Reducer {
  public struct State: Draft {
    /// An e-mail address is asked for on a shared server only.
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
    /// May stay empty: the username stands for it then.
    public var displayName = "" {
      didSet { if displayName != oldValue { edited(.displayName) } }
    }
    /// Asked for where the server lets in by invitation only.
    public var code = "" {
      didSet { if code != oldValue { edited(.code) } }
    }
    /// What the server says of sign-ups; taken for open until it does.
    public var policy = SignUpPolicy.open
    public var isPasswordShown = false
    public var touchedFields: Set<FieldProblem.Field> = []
    public var submission: LoadableValue<UUID, DraftFailure> = .idle {
      // The password is not kept a moment longer than it is needed.
      didSet { if submission.value != nil { password = "" } }
    }

    public init(serverKind: ServerKind, username: String = "") {
      self.serverKind = serverKind
      self.username = username
    }

    public var fields: [FieldProblem.Field] {
      let own: [FieldProblem.Field] =
        switch serverKind {
        case .embedded: [.username, .password]
        case .remote: [.email, .username, .displayName, .password]
        }
      return policy == .invited ? own + [.code] : own
    }

    /// The address that stands for the person on the embedded server, once the username is right.
    public var derivedEmail: String? {
      guard serverKind == .embedded, let name = try? Username(username) else { return nil }
      return ProfileText.derivedEmail(for: name)
    }

    /// The checked values of the form.
    func account() throws(FieldProblem) -> NewAccount {
      let name = try Username(username)
      let asksAll = serverKind == .remote
      let hasDisplayName = asksAll && !displayName.allSatisfy(\.isWhitespace)
      return NewAccount(
        email: asksAll ? try ProfileText.email(email) : ProfileText.derivedEmail(for: name),
        password: try ProfileText.password(password), username: name,
        displayName: hasDisplayName ? try ProfileText.displayName(displayName) : nil,
        invitation: policy == .invited ? try InvitationCode(code) : nil)
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
    /// Asks the server who may sign up; without an answer the form stays as it is.
    case askPolicy
    /// Creates the account, if every field keeps its rules; shows what is wrong otherwise.
    case submit
  }

  public struct Environment: Sendable {
    public let authService: AuthService
    public let broadcastStudio: BroadcastStudio

    public init(
      authService: AuthService = .shared, broadcastStudio: BroadcastStudio = .shared
    ) {
      self.authService = authService
      self.broadcastStudio = broadcastStudio
    }
  }

  public init() {}

  public func reduce(store: Store<Self>, request: Request) async {
    switch request {
    case .askPolicy: await askPolicy(store: store)
    case .submit: await submit(store: store)
    }
  }

  private func askPolicy(store: Store<Self>) async {
    let settings = await withEnvironment(store: store, keyPath: \.authService) {
      try? await $0.fetchSettings()
    }
    guard let policy = settings?.signUp else { return }
    modifyValue(store: store, \.policy) { $0 = policy }
  }

  // There is no way to give up waiting: an account may have been made by then.
  private func submit(store: Store<Self>) async {
    modifyValue(store: store, \.touchedFields) { $0.formUnion(store.fields) }
    guard store.canSubmit, let account = try? store.state.account() else { return }
    let asksEmail = store.serverKind == .remote
    await load(store: store, keyPath: \.submission) { environment throws(DraftFailure) in
      do throws(AuthError) {
        let session = try await environment.authService.signUp(
          email: account.email, password: account.password, username: account.username.value,
          displayName: account.displayName, invitation: account.invitation)
        return session.user.id
      } catch .emailTaken where !asksEmail {
        // Nobody typed this address: it stands for the username.
        throw DraftFailure(AuthError.usernameTaken)
      } catch {
        throw DraftFailure(error)
      }
    }
    if case .failed(let failed) = store.submission,
      case .field(let problem) = failed.failure, problem.field == .code
    {
      // The server wants a code that the form did not ask for.
      modifyValue(store: store, \.policy) { $0 = .invited }
    }
    guard let userID = store.submission.value else { return }
    withEnvironment(store: store, keyPath: \.broadcastStudio) {
      broadcast(.accountChanged(userID: userID), through: $0)
    }
  }
}

/// What a finished sign-up form says.
struct NewAccount: Hashable, Sendable {
  let email: String
  let password: String
  let username: Username
  /// Nil when the username shall stand for it.
  let displayName: String?
  /// Nil where none is asked for.
  var invitation: InvitationCode?
}
