import RallyDomain
import RallyEnvironment
import RallyState
import RallyStreets
import RallySystem
import TerminalKit

/// The whole program: a person's own Rally, from which a demo can be started; or the demo alone.
public struct ProgramView: View {
  private let session: RallySession?
  private let demoLauncher: DemoLauncher?
  private let visit: DemoVisit?
  private let changes: ConfigurationChanges?
  private let streets: StreetTiles?
  @Environment(\.terminal) private var terminal

  /// - Parameters:
  ///   - changes: The configuration, and what becomes of it; nil has every default.
  ///   - streets: The archives of streets on this machine; nil for those of the session's folder.
  public init(
    session: RallySession, demoLauncher: DemoLauncher? = nil,
    changes: ConfigurationChanges? = nil, streets: StreetTiles? = nil
  ) {
    self.session = session
    self.streets = streets
    self.demoLauncher = demoLauncher
    visit = nil
    self.changes = changes
  }

  /// A demo that ends with the program.
  public init(visit: DemoVisit, changes: ConfigurationChanges? = nil) {
    session = nil
    demoLauncher = nil
    self.visit = visit
    self.changes = changes
    streets = nil
  }

  public var body: some View {
    if let visit {
      demo(visit, returnsToSignIn: false) { terminal.quit() }
    } else if let demoLauncher, case .open(let visit) = demoLauncher.phase {
      demo(visit, returnsToSignIn: true) { demoLauncher.leave() }
    } else if let session {
      RallyView(session: session, changes: changes, streets: streets)
        .environment(\.demoLauncher, demoLauncher)
    }
  }

  private func demo(
    _ visit: DemoVisit, returnsToSignIn: Bool, leave: @escaping @MainActor () -> Void
  ) -> some View {
    RallyView(session: visit.session, changes: changes)
      .environment(
        \.demoStatus,
        DemoStatus(
          returnsToSignIn: returnsToSignIn, hintPace: visit.hintPace, hints: visit.hints,
          leave: leave))
  }
}

/// The whole interface: the session's screens, with what lies over them.
public struct RallyView: View {
  private let session: RallySession
  @State private var changes: ConfigurationChanges
  @State private var interface: Interface
  @State private var groundStore: GroundStore
  @State private var paletteState = PaletteState()
  @State private var friendsViewState = FriendsViewState()
  @Environment(\.terminalSize) private var terminalSize

  /// The smallest terminal that Rally draws its screens on.
  public static let minimumSize = Size(width: 40, height: 12)

  /// - Parameters:
  ///   - changes: The configuration, and what becomes of it; nil has every default.
  ///   - streets: The archives of streets on this machine; nil for those of the session's folder.
  ///   - groundStore: What the maps draw, for callers that wait for its tiles; nil for one of
  ///     `streets`.
  public init(
    session: RallySession, changes: ConfigurationChanges? = nil, streets: StreetTiles? = nil,
    groundStore: GroundStore? = nil
  ) {
    self.init(
      session: session, changes: changes, streets: streets, groundStore: groundStore,
      interface: Interface(changes?.configuration ?? Configuration()))
  }

  init(
    session: RallySession, changes: ConfigurationChanges? = nil, streets: StreetTiles? = nil,
    groundStore: GroundStore? = nil,
    interface: @autoclosure @escaping @MainActor () -> Interface
  ) {
    self.session = session
    _changes = State(
      wrappedValue: changes ?? ConfigurationChanges(ConfigurationLoadResult(), problems: []))
    _interface = State(wrappedValue: interface())
    _groundStore = State(
      wrappedValue: groundStore
        ?? GroundStore(
          tiles: streets ?? StreetTiles(folder: session.services.folders.streets)))
  }

  public var body: some View {
    let services = session.services
    ConfigurationFollowing(content: AnyView(screens.textOnlyView()), changes: changes)
      .onChange(of: session.stores == nil) { _, isOver in if isOver { interface.sessionEnded() } }
      .environment { services.supply(to: &$0) }
      .environment(\.interface, interface)
      .environment(\.paletteState, paletteState)
      .environment(\.friendsViewState, friendsViewState)
      .environment(\.groundStore, groundStore)
      .environment(\.rallySession, session)
      .environment(\.streetsStore, session.streetsStore)
      .environment(\.paneLayoutService, session.paneLayoutService)
      .environment(\.runtimePolicyCoordinator, session.runtimePolicyCoordinator)
  }

  private var screens: some View {
    // The screens stay as they are behind the sentence, and what follows the stores goes on.
    UnderlayTabView(selection: Binding(get: { isTooSmall }, set: { _ in }), updatesHidden: true) {
      UnderlayTab("", value: true) { TooSmall(size: terminalSize) }
      UnderlayTab("", value: false) {
        ForEach([session.generation], id: \.self) { _ in
          switch session.phase {
          case .signedIn(let stores): ContentView(session: session, stores: stores)
          case .signedOut(let notice):
            SessionHome(session: session, notice: notice).windowTitle()
          }
        }
      }
    }
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
    .onAction(ProgramActions.cancel.id) { terminal.quit() }
  }
}

/// Names the terminal's window by what waits on the person: `Rally · 2 requests · 1 invitation`.
private struct WindowTitle: View {
  let content: AnyView
  let waiting: DerivedState<String>?

  @Environment(\.configuration) private var configuration
  @Environment(\.demoStatus) private var demoStatus
  @Environment(\.terminal) private var terminal

  var body: some View {
    let title = title
    content.task(id: title) { terminal.setTitle(title) }
  }

  private var title: String? {
    guard configuration.hasTitle else { return nil }
    let counts = waiting?.value ?? ""
    return (demoStatus == nil ? "Rally" : "Rally demo") + (counts.isEmpty ? "" : " · \(counts)")
  }
}

extension View {
  /// - Parameter waiting: The pending items as text; nil while signed out.
  func windowTitle(_ waiting: DerivedState<String>? = nil) -> some View {
    WindowTitle(content: AnyView(self), waiting: waiting)
  }
}
