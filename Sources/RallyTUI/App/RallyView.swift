import RallyDomain

/// The whole interface: the session's screens, with what lies over them.
public struct RallyView: View {
  private let session: RallySession
  private let problems: [String]
  @State private var interface = Interface()
  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.actions) private var actions

  /// The smallest terminal that Rally draws its screens on.
  public static let minimumSize = Size(width: 60, height: 16)

  /// - Parameter problems: What is wrong with the configuration, to be said at the start.
  public init(session: RallySession, problems: [String] = []) {
    self.session = session
    self.problems = problems
  }

  public var body: some View {
    // The screens stay as they are behind the sentence: their stores are made once a session.
    UnderlayTabView(selection: Binding(get: { isTooSmall }, set: { _ in })) {
      UnderlayTab("", value: true) { TooSmall(size: terminalSize) }
      UnderlayTab("", value: false) {
        ForEach([session.generation], id: \.self) { _ in
          switch session.phase {
          case .signedIn: ContentView(session: session)
          case .signedOut(let notice): SessionHome(session: session, notice: notice)
          }
        }
      }
    }
    .task { for problem in problems { interface.say(problem, kind: .warning) } }
    .environment(\.interface, interface)
    .environment(\.rallySession, session)
    .environment(\.runtimePolicyCoordinator, session.runtimePolicyCoordinator)
  }

  private var isTooSmall: Bool {
    terminalSize.width < Self.minimumSize.width || terminalSize.height < Self.minimumSize.height
  }
}

/// Says how much room is needed, and how to leave.
private struct TooSmall: View {
  let size: Size
  @Environment(\.terminal) private var terminal

  var body: some View {
    Paragraph(
      "Rally needs \(RallyView.minimumSize.width)x\(RallyView.minimumSize.height) "
        + "(here \(size.width)x\(size.height)). q quits. Or: rally friends list"
    )
    .onAction(.leave) { terminal.quit() }
    .onAction(.cancel) { terminal.quit() }
  }
}
