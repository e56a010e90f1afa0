import RallyDomain

/// The whole program: a person's own Rally, with the demo behind a door; or the demo alone.
public struct ProgramView: View {
  private let session: RallySession?
  private let door: DemoDoor?
  private let visit: DemoVisit?
  private let problems: [String]
  @Environment(\.terminal) private var terminal

  /// - Parameter problems: What is wrong with the configuration, to be said at the start.
  public init(session: RallySession, door: DemoDoor? = nil, problems: [String] = []) {
    self.session = session
    self.door = door
    visit = nil
    self.problems = problems
  }

  /// A demo that ends with the program.
  public init(visit: DemoVisit, problems: [String] = []) {
    session = nil
    door = nil
    self.visit = visit
    self.problems = problems
  }

  public var body: some View {
    if let visit {
      demo(visit, standing: DemoStanding(isBehindDoor: false) { terminal.quit() })
    } else if let door, case .open(let visit) = door.phase {
      demo(visit, standing: DemoStanding(isBehindDoor: true) { door.leave() })
    } else if let session {
      RallyView(session: session, problems: problems).environment(\.demoDoor, door)
    }
  }

  private func demo(_ visit: DemoVisit, standing: DemoStanding) -> some View {
    RallyView(session: visit.session).environment(\.demoStanding, standing)
  }
}
