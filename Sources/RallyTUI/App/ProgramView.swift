import RallyDomain
import RallyStreets
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
