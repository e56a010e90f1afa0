import FoundationEssentials
import Glibc
import Logging
import Observation
import RallyClient
import RallyEnvironment
import RallySystem
import RallyText
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

/// Imports missions from a file: first a preview, then, once confirmed, the missions.
///
/// Each mission is created with a client id derived from its content (`ContentID`). If the same
/// file is imported again after a crash or a lost connection, only the missing missions are
/// created, as long as the server remembers client ids. After that, all of them are created again.
public final class ImportService: Sendable {
  public static let shared = ImportService(missionsService: .shared)

  private let missionsService: MissionsService
  private let capabilities: Capabilities
  private let log = RallyLog.logger("Import")

  /// - Parameter capabilities: Without `hostFiles` no file is read.
  public init(missionsService: MissionsService, capabilities: Capabilities = .owner) {
    self.missionsService = missionsService
    self.capabilities = capabilities
  }

  /// Reads a file without creating anything.
  ///
  /// - Parameter path: A local file; `~/` is the home folder.
  /// - Throws: `FieldProblem` if the file cannot be read. Errors in its content are in the preview.
  @concurrent public func preview(file path: String, now: WireTime = .now) async throws
    -> ImportPreview
  {
    guard capabilities.contains(.hostFiles) else {
      throw FieldProblem(field: .file, advice: "Files of this host are not read over SSH.")
    }
    let path = HomeFolder.expanding(path)
    let data = try Self.read(path)
    let preview = MissionFile.preview(data, name: path, now: now)
    log.info(
      "preview — missions: \(preview.items.count), problems: \(preview.problems.count)")
    return preview
  }

  /// Creates the missions of a preview, one after the other.
  ///
  /// - Parameter report: Told what came of each one, in the order of the file.
  /// - Throws: What kept the server from being asked at all, such as `NetworkError.unreachable`.
  ///   What
  ///   was reported until then stands; running the same preview again makes the rest.
  public func run(
    _ preview: ImportPreview, report: @Sendable (ImportOutcome) async -> Void
  ) async throws {
    log.info("run — missions: \(preview.items.count)")
    for item in preview.items {
      try Task.checkCancellation()
      do {
        let mission = try await missionsService.createMission(
          item.call, clientID: item.clientID)
        await report(ImportOutcome(item: item, result: .made(mission)))
      } catch NetworkError.refused(let failure, let status) where status < 500 {
        await report(
          ImportOutcome(item: item, result: .refused(TextLimits.line.shown(failure.message))))
      }
    }
  }

  /// - Throws: `FieldProblem` that says why, for everything but a plain file of a fit size.
  static func read(_ path: String) throws -> Data {
    func problem(_ why: String) -> FieldProblem {
      FieldProblem(field: .file, advice: "\(path.cleanedForDisplay): \(why)")
    }
    // O_NONBLOCK: opening a FIFO without a writer would block.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw problem(
        errno == ENOENT
          ? "There is no such file."
          : "The file cannot be opened (\(POSIXError.last.systemReason)).")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw problem("This is no file that can be read.")
    }
    // Read one byte more than allowed, so that the parser can see that the file is too large.
    do {
      return try PrivateFiles.read(from: descriptor, upTo: ImportLimits.bytes + 1)
    } catch {
      throw problem("The file cannot be read (\(error.systemReason)).")
    }
  }
}

/// The outcome of importing one mission.
public struct ImportOutcome: Sendable {
  public enum Result: Sendable {
    /// Created by this run, or by an earlier run of the same file.
    case made(Mission)
    /// One sentence.
    case refused(String)
  }

  public let item: ImportPreview.Item
  public let result: Result

  public var isMade: Bool { if case .made = result { true } else { false } }

  /// `made`, or the server's reason for refusing.
  public var sentence: String {
    switch result {
    case .made: "made"
    case .refused(let sentence): sentence
    }
  }
}

/// Deterministic ids: equal content gets an equal id.
///
/// A version 8 UUID (RFC 9562) from the 128-bit FNV-1a hash of the bytes (RFC 9923). FNV-1a does
/// not resist deliberate collisions, and need not. An id is compared only with the same user's own
/// calls. If two missions of a file collide, the server refuses one of them.
public struct ContentID: Sendable {
  private var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
  private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013B

  public init() {}

  public mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      hash ^= UInt128(byte)
      hash &*= Self.prime
    }
  }

  public var uuid: UUID {
    var bytes = (0..<16).map { UInt8(truncatingIfNeeded: hash >> (120 - 8 * UInt128($0))) }
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
        bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}

private struct ImportServiceKey: EnvironmentKey {
  static var defaultValue: ImportService { .shared }
}

extension EnvironmentValues {
  public var importService: ImportService {
    get { self[ImportServiceKey.self] }
    set { self[ImportServiceKey.self] = newValue }
  }
}
