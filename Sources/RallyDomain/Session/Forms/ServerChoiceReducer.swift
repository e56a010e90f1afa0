import FoundationEssentials
import RallyClient
import RallyState
import RallySystem
import RallyText
import RallyWire

/// The form that chooses a server: this machine's own, or a shared one by its address and key.
public struct ServerChoiceReducer: Reducer {
  public struct State: Sendable, Equatable {
    /// Empty for this machine's own; an invitation's link says server and key.
    public var address = "" {
      didSet { if address != oldValue { forgetAnswer() } }
    }
    public var key = "" {
      didSet { if key != oldValue { forgetAnswer() } }
    }
    public var isKeyFocused = false
    /// What was chosen, while it is looked at and once it was.
    public var choice: LoadableValue<ServerSelection, FieldProblem> = .idle

    public init() {}

    public var problem: FieldProblem? { choice.failure }

    private mutating func forgetAnswer() {
      if !choice.isIdle, !choice.isLoading() { choice = .idle }
    }

    /// What the form names now; nil as long as the key is to be typed yet.
    ///
    /// - Throws: `FieldProblem` for an address that is none, and for a key that is missing.
    fileprivate func named() throws(FieldProblem) -> Named? {
      let typed = address.trimmed
      if typed.isEmpty { return .embedded }
      if InvitationLink.isLink(typed) { return .link(typed) }
      let url = try ServerURL(typed)
      let key = key.trimmed
      if !key.isEmpty { return .remote(url, key: key) }
      guard isKeyFocused else { return nil }
      throw FieldProblem(field: .server, advice: "This server needs its API key.")
    }

    fileprivate enum Named {
      case embedded
      case link(String)
      case remote(ServerURL, key: String)
    }
  }

  public enum Request: Hashable, Sendable {
    /// Enter: goes on to the key as long as that is missing, then chooses.
    case submit
    case focusKey(Bool)
  }

  public struct Environment: Sendable {
    /// Whether servers are spoken to without TLS on public networks too.
    let allowsPlainHTTP: Bool
    /// Fails for a server that anybody on the way can listen to.
    let requirePrivacy: @Sendable (ServerURL) async throws -> Void

    public init(
      allowsPlainHTTP: Bool,
      requirePrivacy: @escaping @Sendable (ServerURL) async throws -> Void = {
        try await PlainHTTP.require(privacyOf: $0)
      }
    ) {
      self.allowsPlainHTTP = allowsPlainHTTP
      self.requirePrivacy = requirePrivacy
    }
  }

  public init() {}

  public func reduce(store: Store<Self>, request: Request) async {
    switch request {
    case .focusKey(let isFocused):
      modifyValue(store: store, \.isKeyFocused) { $0 = isFocused }
    case .submit: await submit(store: store)
    }
  }

  private func submit(store: Store<Self>) async {
    guard !store.choice.isLoading() else { return }
    let named: State.Named?
    do throws(FieldProblem) {
      named = try store.state.named()
    } catch {
      return modifyValue(store: store, \.choice) { $0 = LoadableValue(.failure(error)) }
    }
    guard let named else {
      return modifyValue(store: store, \.isKeyFocused) { $0 = true }
    }
    await load(store: store, keyPath: \.choice) { environment throws(FieldProblem) in
      switch named {
      case .embedded: return .server(.embedded)
      case .link(let link): return .link(link)
      case .remote(let url, let key):
        if !environment.allowsPlainHTTP {
          try await Self.check(url, environment.requirePrivacy)
        }
        return .server(.remote(url, key: key, allowsPlain: environment.allowsPlainHTTP))
      }
    }
  }

  /// Refuses a server that passwords cannot be sent to; what else is wrong with it shows at the
  /// sign-in.
  @concurrent private static func check(
    _ url: ServerURL, _ requirePrivacy: @Sendable (ServerURL) async throws -> Void
  ) async throws(FieldProblem) {
    guard !url.isSecure else { return }
    do {
      try await requirePrivacy(url)
    } catch let error as NetworkError where error == .plainText(host: url.host) {
      throw FieldProblem(field: .server, advice: error.sentence)
    } catch {}
  }
}

/// What the form of servers chose.
public enum ServerSelection: Hashable, Sendable {
  case server(ServerChoice)
  /// The link of an invitation, which says which server.
  case link(String)
}
