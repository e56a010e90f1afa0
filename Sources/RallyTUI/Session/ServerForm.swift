import RallyClient
import RallyDomain
import RallyEnvironment
import RallySystem
import RallyText
import RallyWire
import TerminalKit

/// Chooses the server: this machine's own, or one that is shared, by its address and key.
struct ServerForm: View {
  @Environment(\.actions) private var actions
  @Environment(\.rallySession) private var rallySession
  @Environment(\.interface) private var interface
  @Environment(\.allowsPlainHTTP) private var allowsPlainHTTP
  @State private var address = ""
  @State private var key = ""
  @State private var problem: FieldProblem?
  @State private var isKeyFocused = false
  @State private var isChecking = false

  var body: some View {
    Box(title: "Server") {
      VStack(spacing: 0) {
        Paragraph("Leave the address empty for the server of this machine.", .dim)
        Text("")
        FormField(
          field: .server, text: $address, problem: problem, isFocused: !isKeyFocused,
          placeholder: "https://rally.example.org"
        ) { isKeyFocused = false }
        FormRow(
          label: "API key", text: $key, isFocused: isKeyFocused,
          placeholder: "rally serve prints it"
        ) { isKeyFocused = true }
        Text("")
        FormButton(
          title: "Use this server", waiting: "Looking it up…", isWaiting: isChecking,
          hint: "\(actions.table.way(to: .back)) keeps ", hintAction: .back, submit: submit)
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 58)
    .onAction(.fieldNext) { isKeyFocused.toggle() }
    .onAction(.fieldPrevious) { isKeyFocused.toggle() }
    .onAction(.submit) { submit() }
  }

  /// Enter in the address goes on to the key as long as that is missing.
  private func submit() {
    let typed = address.trimmed
    if typed.isEmpty { return use(.embedded) }
    // The link of an invitation says which server, and brings its key.
    if InvitationLink.isLink(typed) {
      interface.overlay = nil
      rallySession?.take(typed)
      return
    }
    do throws(FieldProblem) {
      let url = try ServerURL(typed)
      let key = key.trimmed
      guard !key.isEmpty else {
        guard isKeyFocused else {
          problem = nil
          isKeyFocused = true
          return
        }
        throw FieldProblem(field: .server, advice: "This server needs its API key.")
      }
      check(url, key)
    } catch {
      problem = error
    }
  }

  /// Takes a server that passwords may be sent to; what else is wrong with it shows at the sign-in.
  private func check(_ url: ServerURL, _ key: String) {
    guard !isChecking else { return }
    problem = nil
    guard !url.isSecure, !allowsPlainHTTP else {
      return use(.remote(url, key: key, allowsPlain: allowsPlainHTTP))
    }
    isChecking = true
    Task {
      defer { isChecking = false }
      do {
        try await PlainHTTP.require(privacyOf: url)
      } catch let error as NetworkError where error == .plainText(host: url.host) {
        problem = FieldProblem(field: .server, advice: error.sentence)
        return
      } catch {}
      use(.remote(url, key: key))
    }
  }

  private func use(_ server: ServerChoice) {
    interface.overlay = nil
    rallySession?.choose(server)
  }
}

private struct AllowsPlainHTTPKey: EnvironmentKey {
  static let defaultValue = false
}

extension EnvironmentValues {
  /// Whether `--insecure` was said: servers are spoken to without TLS on public networks too.
  public var allowsPlainHTTP: Bool {
    get { self[AllowsPlainHTTPKey.self] }
    set { self[AllowsPlainHTTPKey.self] = newValue }
  }
}
