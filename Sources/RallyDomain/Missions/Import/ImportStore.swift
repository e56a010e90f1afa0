import Logging
import Observation
import RallySystem
import RallyWire

/// The import of one file: its preview, then what came of each mission.
///
/// The sheet that shows it owns it.
@MainActor
@Observable
public final class ImportStore: FailurePresenting {
  public enum Stage: Hashable, Sendable {
    case reading, previewed, running, finished
  }

  // MARK: - Dependencies
  @ObservationIgnored private let importService: ImportService

  // MARK: - State
  public private(set) var stage = Stage.reading
  public private(set) var preview = ImportPreview()
  /// In the order of the preview's items; missing ones were not tried yet.
  public private(set) var outcomes: [ImportOutcome] = []
  /// Why the file was not read, or the rest not created: one sentence.
  public private(set) var problem: String?
  /// The latest failure to show; the next call clears it.
  public internal(set) var presentedError: CommunityViewError?

  let log = RallyLog.logger("Import")

  // MARK: - Lifecycle

  public init(importService: ImportService = .shared) { self.importService = importService }

  // MARK: - Import

  /// Reads the file; this creates nothing.
  ///
  /// - What: Fills `preview`.
  /// - How: Once; a file that cannot be read finishes the import.
  /// - Why: A user sees what a file brings before it is imported.
  /// - Service Calls: `ImportService.preview`
  /// - Parameter path: A local file; `~/` is the home folder.
  public func read(_ path: String) async {
    guard stage == .reading else { return }
    do {
      preview = try await importService.preview(file: path)
      stage = .previewed
    } catch {
      present(error, title: "The file was not read", source: "read")
      stage = .finished
    }
  }

  /// Creates the missions of the preview.
  ///
  /// - What: Fills `outcomes`, one after the other.
  /// - How: After a failure it can be run again, which creates only the missing missions.
  /// - Why: A file must not be imported in part without a way to complete it.
  /// - Service Calls: `ImportService.run`
  /// - Returns: Whether it ran to the end, with what came of each mission.
  public func run() async -> IntentOutcome<[ImportOutcome]> {
    guard stage == .previewed, !preview.items.isEmpty else { return .notStarted }
    stage = .running
    (problem, presentedError) = (nil, nil)
    outcomes = []
    do {
      try await importService.run(preview) { outcome in await self.add(outcome) }
      stage = .finished
      return .done(outcomes)
    } catch {
      stage = .previewed
      return .refused(present(error, title: "Not everything was imported", source: "run"))
    }
  }

  @discardableResult
  private func present(
    _ error: any Error, title: String, source: String
  ) -> CommunityViewError {
    problem = error.sentence
    return presentFailure(error, title: title, source: source)
  }

  private func add(_ outcome: ImportOutcome) { outcomes.append(outcome) }
}
