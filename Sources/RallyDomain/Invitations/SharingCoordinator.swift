import Logging
import RallyClient
import RallyEnvironment
import RallySystem
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

  /// Takes a code whose link the person came in by.
  ///
  /// - What: Emits `.welcome`.
  /// - How: The form that signed the person up or in said what the code gives.
  /// - Why: Nobody is asked again for what they came for.
  /// - Service Calls: None
  public func welcome(_ code: InvitationCode) { queue.send(.welcome(code)) }

  /// Takes a code or a link, as typed, pasted or given at the start.
  ///
  /// - What: Emits `.open` for a code of this server, `.elsewhere` for a link of another one, and
  ///   `.refuse` for everything else.
  /// - How: Parses the text and compares the link's server with ours.
  /// - Why: Texts arrive from the command line, the program's arguments and the clipboard, also
  ///   before a store exists.
  /// - Service Calls: None
  public func open(_ text: String) {
    do throws(FieldProblem) {
      let link = try InvitationLink(text)
      guard link.isFrom(server) else {
        log.info("elsewhere")
        return queue.send(.elsewhere(link))
      }
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
  /// A code that is accepted without a question, unless it was with the account.
  case welcome(InvitationCode)
  /// A link of another server.
  case elsewhere(InvitationLink)
  /// A link that is to be shown once nobody types.
  case arrived(String)
  /// The text is no code.
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
