import FoundationEssentials
import RallyClient
import RallyState
import RallySystem
import RallyText
import RallyWire

/// The form that edits the user's public profile.
public struct ProfileEditorReducer: Reducer {
  public struct State: Draft {
    /// The profile on the server.
    public var saved: LoadableValue<ProfileForm, DraftFailure> = .idle {
      // A response that arrives while the form has edits does not replace them.
      didSet { if let form = saved.value, oldValue.value == history.present { begin(with: form) } }
    }
    var history: EditHistory<ProfileForm?> = EditHistory(nil)
    public var touchedFields: Set<FieldProblem.Field> = []
    public var submission: LoadableValue<UUID, DraftFailure> = .idle

    public init() {}

    /// The edited values; every change can be undone. Empty until the profile is loaded.
    public var form: ProfileForm {
      get { history.present ?? ProfileForm() }
      set {
        let old = form
        let changed = newValue.changedFields(from: old)
        guard history.present != nil, !changed.isEmpty else { return }
        history.change(
          to: newValue, field: changed.count == 1 ? changed.first?.rawValue : nil)
        for field in changed { edited(field) }
        if submission.value != nil { submission = .idle }
      }
    }

    public var canUndo: Bool { history.canUndo }
    public var canRedo: Bool { history.canRedo }
    public var isUntouched: Bool { history.present == saved.value }
    public var fields: [FieldProblem.Field] { [.username, .displayName, .bio] }

    public func check(_ field: FieldProblem.Field) -> FieldProblem? {
      do throws(FieldProblem) {
        switch field {
        case .username: _ = try Username(form.username)
        case .displayName: _ = try ProfileText.displayName(form.displayName)
        case .bio: _ = try ProfileText.bio(form.bio)
        default: break
        }
        return nil
      } catch {
        return error
      }
    }

    mutating func begin(with form: ProfileForm) { history = EditHistory(form) }
  }

  public enum Request: Hashable, Sendable {
    /// Loads the profile, or refreshes it if it was loaded before.
    case open
    case undo, redo
    /// Submits the changed fields if every field is valid; otherwise shows the problems.
    case submit
  }

  public struct Environment: Sendable {
    public var profileService: ProfileService
    /// Makes the id by which the server takes a repeated change for the same one.
    public var makeID: @Sendable () -> UUID

    public init(
      profileService: ProfileService, makeID: @escaping @Sendable () -> UUID = { UUID() }
    ) {
      self.profileService = profileService
      self.makeID = makeID
    }
  }

  public init() {}

  public func reduce(store: Store<Self>, request: Request) async {
    switch request {
    case .open: await open(store: store)
    case .undo: modifyValue(store: store, \.history) { $0.undo() }
    case .redo: modifyValue(store: store, \.history) { $0.redo() }
    case .submit: await submit(store: store)
    }
  }

  private func open(store: Store<Self>) async {
    if store.submission.value != nil { modifyValue(store: store, \.submission) { $0 = .idle } }
    guard store.saved.value == nil else {
      // Silent: the loaded profile stays, and sending a change says whether the server is reached.
      let known = store.saved
      return await perform(store: store, keyPath: \.saved) { environment in
        guard let profile = try? await environment.profileService.fetchProfile(forceRefresh: true)
        else { return known }
        return .loaded(LoadingSuccess(value: ProfileForm(profile), timestamp: .now))
      }
    }
    await load(
      store: store, keyPath: \.saved,
      work: { environment throws(DraftFailure) in
        do {
          guard let profile = try await environment.profileService.fetchProfile(forceRefresh: true)
          else { throw NetworkError.signedOut }
          return profile
        } catch {
          throw DraftFailure(profile: error)
        }
      }, map: ProfileForm.init)
  }

  private func submit(store: Store<Self>) async {
    modifyValue(store: store, \.touchedFields) { $0.formUnion(store.fields) }
    guard store.canSubmit, let saved = store.saved.value else { return }
    let form = store.form
    let clientID = withEnvironment(store: store, keyPath: \.makeID) { $0() }
    await load(store: store, keyPath: \.submission) { environment throws(DraftFailure) in
      do {
        return try await environment.profileService.updateProfile(
          displayName: form.displayName == saved.displayName ? nil : form.displayName,
          bio: form.bio == saved.bio ? nil : form.bio,
          username: form.username == saved.username ? nil : form.username, clientID: clientID
        ).id
      } catch {
        throw DraftFailure(profile: error)
      }
    }
    guard store.submission.value != nil else { return }
    modifyLoadedValue(store: store, \.saved) { $0 = form }
  }
}

/// The texts of a profile, not validated.
public struct ProfileForm: Hashable, Sendable {
  public var username = ""
  public var displayName = ""
  public var bio = ""

  public init() {}

  init(_ profile: CommunityProfile) {
    username = profile.username
    displayName = profile.displayName
    bio = profile.bio
  }

  func changedFields(from other: ProfileForm) -> [FieldProblem.Field] {
    var changed: [FieldProblem.Field] = []
    if username != other.username { changed.append(.username) }
    if displayName != other.displayName { changed.append(.displayName) }
    if bio != other.bio { changed.append(.bio) }
    return changed
  }
}

extension DraftFailure {
  /// Assigns an error of the profile service to its field, or to the form.
  init(profile error: any Error) {
    switch error {
    case let problem as FieldProblem: self = .field(problem)
    case NetworkError.refused(let failure, _):
      let sentence = TextLimits.line.shown(failure.message)
      switch failure.reason {
      case .usernameTaken: self.init(AuthError.usernameTaken)
      case .invalidUsername: self = .field(FieldProblem(field: .username, advice: sentence))
      case .invalidDisplayName: self = .field(FieldProblem(field: .displayName, advice: sentence))
      case .invalidBio: self = .field(FieldProblem(field: .bio, advice: sentence))
      default: self = .form(advice: sentence)
      }
    default: self.init(AuthError(error))
    }
  }
}
