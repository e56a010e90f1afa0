import RallyClient
import RallyDomain
import RallyEnvironment
import RallyState
import RallySystem
import RallyWire
import TerminalKit

/// What a person meets who is not signed in: creating an account, signing in, choosing a server.
struct SessionHome: View {
  let session: RallySession
  let notice: String?

  @State private var form: SessionForm
  @Environment(\.actions) private var actions
  @Environment(\.capabilities) private var capabilities
  @Environment(\.interface) private var interface
  @Environment(\.terminal) private var terminal
  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.demoLauncher) private var demoLauncher
  @Environment(\.isPlain) private var isPlain
  @Environment(\.authService) private var authService
  @Environment(\.broadcastStudio) private var broadcastStudio
  @Environment(\.runtimePolicyCoordinator) private var runtimePolicyCoordinator
  @Environment(\.sshHost) private var sshHost

  init(session: RallySession, notice: String?) {
    self.session = session
    self.notice = notice
    var isInvited = false
    if case .found = session.lookup { isInvited = true }
    _form = State(
      wrappedValue: (session.isNewcomer || isInvited) && notice == nil
        ? SessionForm.signUp : .signIn)
  }

  var body: some View {
    VStack(spacing: 0) {
      if isPlain {
        Text(form == .signUp ? "Rally, a new account" : "Rally, sign in").frame(height: 1)
        EventLine()
      }
      VStack(alignment: .center, spacing: 0) {
        if terminalSize.height >= 20, !isPlain { SessionTitle() }
        if let notice { Paragraph(notice, .warning).frame(maxWidth: 56) }
        switch session.lookup {
        case .nothing: forms
        case .asking(let url): ProgressText("Looking at the invitation of \(url)…")
        case .found(let found):
          Paragraph(found.invitation.sentence, .accent).frame(maxWidth: 56)
          forms
        case .refused(let problem): RefusedInvitation(session: session, problem: problem)
        }
      }
      .scrollsIfTooHigh()
      .frame(maxWidth: .max, maxHeight: .max, alignment: isPlain ? .topLeading : .center)
      if !isPlain, !isCompact { ToastUnderSheets() }
      ContinuationLine()
      if isDemoOpening {
        ProgressText(" Opening the demo… \(actions.table.way(to: .back)) stays here").frame(
          height: 1)
      } else {
        note
      }
      if isCompact { CompactBar() } else { Footer() }
    }
    .task {
      for await sentence in session.services.storageNotices.sentences() {
        interface.say(sentence, kind: .warning)
      }
    }
    .actions(Self.all, in: self)
    .onAction(.back) {
      if isDemoOpening { demoLauncher?.leave() } else { _ = interface.dismissToast() }
    }
    .onChange(of: demoLauncher?.problem) { _, problem in
      guard let problem else { return }
      interface.say(problem, kind: .failure)
      demoLauncher?.problem = nil
    }
    .onChange(of: session.invitation) { _, link in
      guard link != nil, case .nothing = session.lookup else { return }
      Task.immediate { await lookUpOnceQuiet() }
    }
    .programActions()
    .floatingOverlays()
  }

  /// A link of another program takes no key that is meant for a form.
  private func lookUpOnceQuiet() async {
    await terminal.quiet(for: interface.quietTime)
    guard case .nothing = session.lookup else { return }
    await session.lookUpInvitation()
  }

  /// What there is to know before signing in, in as many lines as there is room for.
  @ViewBuilder private var note: some View {
    if isNetworkMissing {
      Paragraph(networkNote, .warning).padding(horizontal: 1)
    } else if terminalSize.height >= Self.heightOfNotes {
      Paragraph(tokenNote, .dim).padding(horizontal: 1)
    } else if let sshHost {
      // Whose machine has the session is no matter of room.
      Paragraph(
        capabilities == .guest
          ? tokenNote : "Over SSH on \(sshHost): the session is kept there.", .dim
      ).padding(horizontal: 1)
    }
  }

  @ViewBuilder private var forms: some View {
    if case .nothing = session.lookup, let link = session.invitation {
      Paragraph(
        MissionLink(link) == nil
          ? "You have an invitation. Sign in or create an account to see it."
          : "You have a link to a mission. Sign in to see it."
      )
      .frame(maxWidth: 56)
    }
    switch form {
    case .signUp:
      SignUpForm(session: session, authService: authService, broadcastStudio: broadcastStudio)
    case .signIn:
      SignInForm(session: session, authService: authService, broadcastStudio: broadcastStudio)
    }
  }

  private var isCompact: Bool { terminalSize.isCompact && !isPlain }

  /// From this many rows on a note stands below the form, in as many lines as it takes.
  private static let heightOfNotes = 16

  private var isDemoOpening: Bool { demoLauncher?.isOpening ?? false }

  private var tokenNote: String {
    if capabilities == .guest { return "You are a guest here: nothing of your session is kept." }
    if let sshHost {
      return "Over SSH on \(sshHost): the session is kept there, in a file that only you can read."
    }
    return "The session is kept in a file that only you can read. rally doctor says where."
  }

  /// Whether the server cannot be reached, since the machine has no network.
  private var isNetworkMissing: Bool {
    !runtimePolicyCoordinator.isNetworkAvailable && session.services.server.reach == .network
  }

  private var networkNote: String {
    var ways: [String] = []
    if capabilities.contains(.otherServers) {
      ways.append("\(actions.table.way(to: Self.server.id)) takes this machine")
    }
    if demoLauncher != nil {
      ways.append("\(actions.table.way(to: Self.demo.id)) looks around in a demo")
    }
    return "There is no network to reach the server. "
      + (ways.isEmpty ? "Connect, then try again." : ways.joined(separator: ", ") + ".")
  }
}

extension SessionHome {
  static let server = FeatureAction<Self>(
    id: "session.server", summary: "Choose another server.", keys: ["^T"], section: "Forms",
    footer: 520, shown: { $0.capabilities.contains(.otherServers) },
    run: { $0.interface.overlay = .server })
  static let demo = FeatureAction<Self>(
    id: "demo", title: "look around", summary: "Look around in a demo, without an account.",
    keys: ["^O"], section: "Forms", footer: 500, shown: { $0.demoLauncher != nil },
    run: { $0.demoLauncher?.enter() })

  static let all: [FeatureAction<Self>] = [
    FeatureAction(.otherForm, run: { $0.form = $0.form == .signIn ? .signUp : .signIn }),
    server, demo,
  ]
}

enum SessionForm: Hashable { case signUp, signIn }

private struct SessionTitle: View {
  var body: some View {
    VStack(alignment: .center, spacing: 0) {
      Text("R A L L Y", .accent.bold)
      Text("your friends, on a map, in a terminal", .dim)
      Text("")
    }
  }
}

extension ServerChoice {
  /// What the form says of the server.
  var words: String {
    switch self {
    case .embedded: "this machine"
    case .remote(let url, _, _, _): url.description
    }
  }

  var kind: ServerKind { self == .embedded ? .embedded : .remote }
}

private struct SSHHostKey: EnvironmentKey {
  static var defaultValue: String? { nil }
}

extension EnvironmentValues {
  /// The name of the host that the person reached by SSH; nil at the machine itself.
  public var sshHost: String? {
    get { self[SSHHostKey.self] }
    set { self[SSHHostKey.self] = newValue }
  }
}
