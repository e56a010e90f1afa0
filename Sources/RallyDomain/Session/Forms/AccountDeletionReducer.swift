import FoundationEssentials
import RallyClient
import RallyState
import RallyWire

/// The question before an account is deleted: its password says that it is meant.
public struct AccountDeletionReducer: Reducer {
  public struct State: Draft {
    public var password = "" {
      didSet { if password != oldValue, !password.isEmpty { edited(.password) } }
    }
    public var isPasswordShown = false
    public var touchedFields: Set<FieldProblem.Field> = []
    /// Whose account is deleted, once it is.
    public var submission: LoadableValue<UUID, DraftFailure> = .idle {
      // Clear the password as soon as it is not needed.
      didSet { if submission.value != nil { password = "" } }
    }

    public init() {}

    public var fields: [FieldProblem.Field] { [.password] }

    public func check(_ field: FieldProblem.Field) -> FieldProblem? {
      field == .password && password.isEmpty
        ? FieldProblem(field: .password, advice: "Type your password.") : nil
    }
  }

  public enum Request: Hashable, Sendable {
    /// Deletes the account if a password was typed, and ends the session here.
    case submit
  }

  public struct Environment: Sendable {
    let session: RallySession

    public init(session: RallySession) { self.session = session }
  }

  public init() {}

  // Not cancellable: the account may be gone by then.
  public func reduce(store: Store<Self>, request: Request) async {
    modifyValue(store: store, \.touchedFields) { $0.formUnion(store.fields) }
    guard store.canSubmit else { return }
    let password = store.password
    await load(store: store, keyPath: \.submission) { environment throws(DraftFailure) in
      guard let userID = await environment.session.stores?.userID else {
        throw DraftFailure(AuthError.signedOut)
      }
      do throws(AuthError) {
        try await environment.session.deleteAccount(password: password)
      } catch .invalidCredentials {
        throw .field(
          FieldProblem(
            field: .password, advice: "That is not your password. Nothing was deleted."))
      } catch {
        throw DraftFailure(error)
      }
      return userID
    }
  }
}
