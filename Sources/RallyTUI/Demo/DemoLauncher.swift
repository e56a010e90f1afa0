import Observation
import RallyDomain
import RallyEnvironment
import RallySystem

/// Starts a demo from the sign-in screen and comes back from it.
@Observable
public final class DemoLauncher {
  public enum Phase {
    case closed
    case opening
    case open(DemoVisit)
  }

  public private(set) var phase = Phase.closed
  /// Why the demo did not open, in a sentence; the view clears it.
  public var problem: String?

  @ObservationIgnored private let start: @MainActor () async throws -> DemoVisit
  @ObservationIgnored private let left: @MainActor () -> Void
  @ObservationIgnored private var opening: Task<Void, Never>?
  /// The end of a demo that was left, which the end of the program waits for.
  @ObservationIgnored private var ending: Task<Void, Never>?

  /// - Parameters:
  ///   - start: Makes a demo; throws `DemoProblem`.
  ///   - left: Called when the visitor is out again.
  public init(
    start: @escaping @MainActor () async throws -> DemoVisit,
    left: @escaping @MainActor () -> Void = {}
  ) {
    self.start = start
    self.left = left
  }

  public var isOpening: Bool { if case .opening = phase { true } else { false } }

  /// Goes in; a second call does nothing.
  public func enter() {
    guard case .closed = phase else { return }
    problem = nil
    phase = .opening
    opening = Task {
      do {
        let visit = try await start()
        if Task.isCancelled {
          await visit.end()
          left()
        } else {
          phase = .open(visit)
        }
      } catch {
        left()
        guard case .opening = phase, !Task.isCancelled else { return }
        phase = .closed
        problem = error.sentence
      }
    }
  }

  /// Comes back out, or does not go in after all; the demo is thrown away.
  public func leave() {
    switch phase {
    case .closed: return
    case .opening:
      opening?.cancel()
      ending = opening
    case .open(let visit):
      ending = Task {
        await visit.end()
        left()
      }
    }
    phase = .closed
  }

  /// Returns once nothing of a demo is left.
  public func close() async {
    leave()
    await ending?.value
  }
}

/// A demo that one is in.
public struct DemoVisit {
  public let session: RallySession
  /// Throws the demo away; returns once nothing is left of it.
  public let end: @MainActor () async -> Void
  /// How long a hint stands whose thing is not done.
  var hintPace = DemoHints.pace
  /// Where the hints are; of the visit, whatever becomes of the screen.
  let hints = DemoHints()

  public init(session: RallySession, end: @escaping @MainActor () async -> Void) {
    self.session = session
    self.end = end
  }
}

/// Why there is no demo, in a sentence.
public struct DemoProblem: ReportableError, Hashable, Sendable {
  public var sentence: String

  public init(sentence: String) { self.sentence = sentence }
}

/// What the screens of a demo show of it.
struct DemoStatus {
  /// Leads back to the sign-in screen rather than to the shell.
  var returnsToSignIn: Bool
  /// How long a hint stands whose thing is not done.
  var hintPace: Duration
  let hints: DemoHints
  /// Leaves the demo.
  var leave: @MainActor () -> Void
}

private struct DemoStatusKey: EnvironmentKey {
  static var defaultValue: DemoStatus? { nil }
}

private struct DemoLauncherKey: EnvironmentKey {
  static var defaultValue: DemoLauncher? { nil }
}

extension EnvironmentValues {
  /// Set in a demo, nil in real life.
  var demoStatus: DemoStatus? {
    get { self[DemoStatusKey.self] }
    set { self[DemoStatusKey.self] = newValue }
  }

  /// Starts a demo; nil where there is none.
  var demoLauncher: DemoLauncher? {
    get { self[DemoLauncherKey.self] }
    set { self[DemoLauncherKey.self] = newValue }
  }
}
