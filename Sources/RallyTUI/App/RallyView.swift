import RallyDomain
import RallyStreets
import RallySystem
import TerminalKit

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
