import RallyDomain
import TerminalKit

/// The whole program: a person's own Rally, with the demo behind a door; or the demo alone.
public struct ProgramView: View {
  private let session: RallySession?
  private let door: DemoDoor?
  private let visit: DemoVisit?
  private let changes: ConfigurationChanges?
  @Environment(\.terminal) private var terminal

  /// - Parameter changes: The configuration, and what becomes of it; nil has every default.
  public init(
    session: RallySession, door: DemoDoor? = nil, changes: ConfigurationChanges? = nil
  ) {
    self.session = session
    self.door = door
    visit = nil
    self.changes = changes
  }

  /// A demo that ends with the program.
  public init(visit: DemoVisit, changes: ConfigurationChanges? = nil) {
    session = nil
    door = nil
    self.visit = visit
    self.changes = changes
  }

  public var body: some View {
    if let visit {
      demo(visit, isBehindDoor: false) { terminal.quit() }
    } else if let door, case .open(let visit) = door.phase {
      demo(visit, isBehindDoor: true) { door.leave() }
    } else if let session {
      RallyView(session: session, changes: changes).environment(\.demoDoor, door)
    }
  }

  private func demo(
    _ visit: DemoVisit, isBehindDoor: Bool, leave: @escaping @MainActor () -> Void
  ) -> some View {
    RallyView(session: visit.session, changes: changes)
      .environment(
        \.demoStatus,
        DemoStatus(isBehindDoor: isBehindDoor, hintPace: visit.hintPace, leave: leave))
  }
}
