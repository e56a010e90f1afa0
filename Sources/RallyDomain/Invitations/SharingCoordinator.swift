import Logging
import RallyEnvironment
import RallyWire

/// Decides whether an invitation that arrives as text is for this server.
///
/// It never calls the backend: it emits directives for the store that reads and accepts codes. A
/// link must not move a user to a server that they did not choose.
@MainActor
public final class SharingCoordinator {
  /// The server that the user is on.
  public let server: ServerChoice

  private let queue = DirectiveQueue<SharingDirective>()
  private let log = RallyLog.logger("Sharing")

  public init(server: ServerChoice = .embedded) { self.server = server }

  /// The directives; those emitted before the first reader came are kept for it.
  public func directives() -> AsyncStream<SharingDirective> { queue.directives() }

  /// Takes a link that came from another program, or before somebody signed in.
  ///
  /// - What: Emits `.arrived`.
  /// - How: The link is read when it is shown.
  /// - Why: Nobody waits for it at the keyboard: what it opens must not take a key that is meant for
  ///   something else.
  /// - Service Calls: None
  public func arrived(_ link: String) { queue.send(.arrived(link)) }

  /// Takes a code or a link, as typed, pasted or given at the start.
  ///
  /// - What: Emits `.open` for a code of this server, and `.refuse` for everything else.
  /// - How: Parses the text and compares the link's server with ours.
  /// - Why: Texts arrive from the command line, the program's arguments and the clipboard, also
  ///   before a store exists.
  /// - Service Calls: None
  public func open(_ text: String) {
    do throws(FieldProblem) {
      let link = try InvitationLink(text)
      if let problem = link.problem(on: server) { throw problem }
      log.info("open")
      queue.send(.open(link.code))
    } catch {
      log.info("refuse")
      queue.send(.refuse(error))
    }
  }
}

/// What the owner of the `InvitationsStore` does with an invitation.
public enum SharingDirective: Hashable, Sendable {
  case open(InvitationCode)
  /// A link that is to be shown once nobody types.
  case arrived(String)
  /// The text is no code, or one of another server.
  case refuse(FieldProblem)
}

private struct SharingCoordinatorKey: EnvironmentKey {
  @MainActor static let defaultValue = SharingCoordinator()
}

extension EnvironmentValues {
  public var sharingCoordinator: SharingCoordinator {
    get { self[SharingCoordinatorKey.self] }
    set { self[SharingCoordinatorKey.self] = newValue }
  }
}
