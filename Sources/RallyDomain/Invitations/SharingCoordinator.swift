import Foundation
import Logging
import Observation
import RallyEnvironment
import RallyWire

/// The way of an invitation, from a text that somebody pasted to what it gave.
///
/// It never calls the backend itself: it emits directives, and is told what came of them. Answers to
/// a code that nobody waits for any more change nothing.
@MainActor
@Observable
public final class SharingCoordinator {
  // Signals
  /// The server that the person is on: codes of another one are said, not followed.
  public let server: ServerChoice

  // Outputs
  public private(set) var phase: SharingPhase = .idle

  // Plumbing
  /// The code on its way.
  @ObservationIgnored private var code: InvitationCode?
  /// Of the acceptance of that code, also when it is tried once more.
  @ObservationIgnored private var clientID = UUID()
  @ObservationIgnored private var listeners: [UUID: AsyncStream<SharingDirective>.Continuation] =
    [:]
  @ObservationIgnored private var early: [SharingDirective] = []
  private let log = RallyLog.logger("Sharing")

  public init(server: ServerChoice = .embedded) { self.server = server }

  /// The directives, from the start: those emitted before the first reader came are kept for it.
  public func directives() -> AsyncStream<SharingDirective> {
    let (stream, continuation) = AsyncStream.makeStream(of: SharingDirective.self)
    let id = UUID()
    listeners[id] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { @MainActor in self?.listeners[id] = nil }
    }
    for directive in early { continuation.yield(directive) }
    early = []
    return stream
  }

  /// Takes up a code or a link.
  ///
  /// - What: Says what the text gives, or why it gives nothing here.
  /// - How: Reads the text, compares its server with ours, then emits `.read`.
  /// - Why: What an invitation gives is said before it is accepted, and a link must not move a
  ///   person to a server that they did not choose.
  /// - Service Calls: None
  /// - Parameter text: As typed or pasted.
  public func open(_ text: String) {
    do throws(FieldProblem) {
      let link = try InvitationLink(text)
      if let problem = link.problem(on: server) { throw problem }
      if case .accepting = phase { return }
      if link.code != code { clientID = UUID() }
      code = link.code
      phase = .reading(link.code)
      emit(.read(link.code))
    } catch {
      code = nil
      phase = .refused(error.advice, canRetry: false)
    }
  }

  /// The person says yes to what is offered; elsewhere it does nothing.
  public func accept() {
    guard case .offered(let offer) = phase, !offer.isAccepted else { return }
    phase = .accepting(offer)
    emit(.accept(offer.code, clientID: clientID))
  }

  /// Asks again for what could not be asked, from the beginning: an acceptance whose answer was lost
  /// may have counted.
  public func retry() {
    guard case .refused(_, canRetry: true) = phase, let code else { return }
    phase = .reading(code)
    emit(.read(code))
  }

  /// The person turns away; what was accepted stays.
  public func dismiss() {
    code = nil
    phase = .idle
  }

  // MARK: - Answers

  public func received(_ offer: InvitationOffer) {
    guard case .reading(offer.code) = phase else { return }
    phase = .offered(offer)
  }

  public func received(_ result: InvitationResult, of code: InvitationCode) {
    guard case .accepting(let offer) = phase, offer.code == code else { return }
    self.code = nil
    phase = .accepted(result)
  }

  public func failed(_ code: InvitationCode, _ error: any Error) {
    guard code == self.code else { return }
    switch phase {
    case .reading, .accepting: break
    case .idle, .offered, .accepted, .refused: return
    }
    if error.isExpectedError() { return dismiss() }
    log.info("failed — \(error.logLabel)")
    let canRetry = (error as? NetworkError)?.isTransient ?? false
    phase = .refused(error.sentence, canRetry: canRetry)
  }

  private func emit(_ directive: SharingDirective) {
    log.info("\(directive.label)")
    if listeners.isEmpty { early.append(directive) }
    for listener in listeners.values { listener.yield(directive) }
  }
}

/// Where an invitation is on its way.
public enum SharingPhase: Hashable, Sendable {
  case idle
  case reading(InvitationCode)
  /// What it gives; nothing is accepted yet.
  case offered(InvitationOffer)
  case accepting(InvitationOffer)
  case accepted(InvitationResult)
  /// One sentence that says why, and whether asking again can help.
  case refused(String, canRetry: Bool)
}

/// What somebody who can talk to the server is to do now.
public enum SharingDirective: Hashable, Sendable {
  case read(InvitationCode)
  case accept(InvitationCode, clientID: UUID)

  /// Without the code, which opens something.
  var label: String {
    switch self {
    case .read: "read"
    case .accept: "accept"
    }
  }
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
