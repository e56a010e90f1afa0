import FoundationEssentials
import Logging
import Observation
import RallyEnvironment
import RallySystem
import RallyWire

/// What a new account does first: steps that go when they are done.
public enum FirstStep: String, Sendable, Hashable, CaseIterable, Codable {
  /// To say where one is.
  case place
  /// To bring in a friend.
  case friend
  /// To decide what friends see.
  case sharing
}

/// What the interface takes up again at the next start: the tab, and which first steps are done.
///
/// A private file in the profile's state folder, forgotten with the session.
@MainActor
@Observable
public final class InterfaceMemory {
  /// The tab that was seen last; the map until another one was.
  @ObservationIgnored public private(set) var tab = RallyTab.map
  /// The steps that were done once: a friend who goes does not bring one back.
  public private(set) var doneSteps: Set<FirstStep> = []

  @ObservationIgnored private let persistenceService: PersistenceService
  @ObservationIgnored private var kept = Memory()
  @ObservationIgnored private let log = RallyLog.logger("InterfaceMemory")

  /// - Parameter persistenceService: Stands on the profile's state folder; one without a folder
  ///   remembers nothing.
  public init(persistenceService: PersistenceService = PersistenceService()) {
    self.persistenceService = persistenceService
  }

  /// Takes up what was remembered, for the first frame.
  public func restore() async {
    guard let memory = try? await persistenceService.retrieve(Memory.self, withKey: Memory.key)
    else { return }
    (kept, tab, doneSteps) = (memory, memory.tab, Set(memory.doneSteps))
  }

  /// Notes the tab that is seen; `save` writes it.
  public func note(_ tab: RallyTab) { self.tab = tab }

  /// Notes steps that are done; `save` writes them.
  public func note(done steps: Set<FirstStep>) {
    if !steps.isSubset(of: doneSteps) { doneSteps.formUnion(steps) }
  }

  /// Writes what has changed. A memory that cannot be written costs a key, nothing else.
  public func save() async {
    let memory = Memory(tab: tab, doneSteps: FirstStep.allCases.filter(doneSteps.contains))
    guard memory != kept else { return }
    do {
      try await persistenceService.save(memory, withKey: Memory.key)
      kept = memory
    } catch {
      log.info("save — failed: \(error.logLabel)")
    }
  }

  /// Forgets everything, here and in the file, as signing out must.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be deleted.
  public func forget() async throws {
    (kept, tab, doneSteps) = (Memory(), .map, [])
    try await persistenceService.delete(withKey: Memory.key)
  }

  private struct Memory: Codable, Sendable, Hashable {
    static let key = "interface"

    var tab = RallyTab.map
    var doneSteps: [FirstStep] = []
  }
}

/// Remembers the screen of a connection that broke, so that the next one begins there.
///
/// A private file in the profile's state folder, of which one minute later nothing is taken.
public struct ScreenMemory: Sendable {
  /// How long after the break the same screen is shown.
  private static let limit = Duration.seconds(60)
  private static let key = "screen"

  private struct Memory: Codable, Sendable {
    var screen: NavigationService.Screen
    var leftAt: WireTime
  }

  private let persistence: PersistenceService

  public init(folders: RallyFolders) {
    persistence = PersistenceService(folder: folders.profileState)
  }

  /// A memory that cannot be written costs a few keys, and is a line of the log.
  public func save(_ screen: NavigationService.Screen, at time: WireTime = .now) async {
    try? await persistence.save(Memory(screen: screen, leftAt: time), withKey: Self.key)
  }

  /// The screen that was left within the last minute, once; nil if there is none.
  public func take(at time: WireTime = .now) async -> NavigationService.Screen? {
    let found = try? await persistence.retrieve(Memory.self, withKey: Self.key)
    guard let memory = found else { return nil }
    try? await persistence.delete(withKey: Self.key)
    let age = time.since(memory.leftAt)
    return age >= .zero && age <= Self.limit ? memory.screen : nil
  }
}

/// Remembers whether a kind of terminal has a light background, so that the next start is drawn in
/// the right theme before the terminal has answered.
///
/// A private file in the state folder, shared by all profiles.
public struct BackgroundMemory: Sendable {
  private static let key = "backgrounds"
  /// Kinds of terminals that are kept; beyond them the memory begins anew.
  private static let limit = 32

  private let persistence: PersistenceService
  private let kind: String

  /// - Parameter environment: Reads `TERM`, `TERM_PROGRAM` and `SSH_CONNECTION`, whose first part is
  ///   the machine with the terminal.
  public init(folders: RallyFolders, environment: [String: String]) {
    persistence = PersistenceService(folder: folders.state)
    let client = environment["SSH_CONNECTION"]?.prefix { $0 != " " } ?? ""
    kind =
      ["TERM", "TERM_PROGRAM"].map { environment[$0, default: ""] }
      .joined(separator: " ") + " \(client)"
  }

  /// Whether the background was light when this kind of terminal last said it; nil if it never did.
  public func isLight() async -> Bool? {
    let known = try? await persistence.retrieve([String: Bool].self, withKey: Self.key)
    return known?[kind]
  }

  /// A memory that cannot be written costs one frame in another theme, and is a line of the log.
  public func save(isLight: Bool) async {
    _ = try? await persistence.update([String: Bool](), withKey: Self.key) { [kind] known in
      if known[kind] == nil, known.count >= Self.limit { known = [:] }
      known[kind] = isLight
    }
  }
}

/// How wide the person has made the panes beside the lists, remembered over restarts.
///
/// A private file in the state folder: the configuration is the person's own and never written.
@MainActor
@Observable
public final class PaneLayoutService {
  /// Cells that the pane beside the list or the map is wider than it comes; narrower where negative.
  public private(set) var shifts: [RallyTab: Int] = [:]

  @ObservationIgnored private let persistenceService: PersistenceService
  @ObservationIgnored private var unsaved: Memory?
  @ObservationIgnored private var isSaving = false
  @ObservationIgnored private let log = RallyLog.logger("PaneLayout")

  /// The least a pane is left with, in cells.
  public static let narrowest = 24

  /// - Parameter persistenceService: Stands on the profile's state folder; one without a folder
  ///   remembers nothing.
  public init(persistenceService: PersistenceService = PersistenceService()) {
    self.persistenceService = persistenceService
  }

  /// Takes up what was remembered, for the first frame.
  public func restore() async {
    guard
      let memory = try? await persistenceService.retrieve(Memory.self, withKey: Memory.key)
    else { return }
    shifts = Dictionary(
      memory.shifts.compactMap { name, cells in
        RallyTab.allCases.first { $0.title == name }.map { ($0, cells) }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The width of the pane beside the list or the map.
  ///
  /// - Parameters:
  ///   - standard: Its width as it comes.
  ///   - width: That of both panes with the line between them.
  public func width(of tab: RallyTab, standard: Int, in width: Int) -> Int {
    let most = max(standard, width - 1 - Self.narrowest)
    return min(max(standard + (shifts[tab] ?? 0), min(standard, Self.narrowest)), most)
  }

  /// Makes that pane wider, or narrower by a negative number, as far as there is room.
  ///
  /// - Returns: Whether it changed.
  @discardableResult
  public func widen(_ tab: RallyTab, by cells: Int, standard: Int, in width: Int) -> Bool {
    let former = self.width(of: tab, standard: standard, in: width)
    let most = max(standard, width - 1 - Self.narrowest)
    let wanted = min(max(former + cells, min(standard, Self.narrowest)), most)
    guard wanted != former else { return false }
    shifts[tab] = wanted - standard
    save()
    return true
  }

  /// One file is written at a time, the last state last.
  private func save() {
    unsaved = Memory(
      shifts: Dictionary(
        shifts.map { ($0.key.title, $0.value) }, uniquingKeysWith: { first, _ in first }))
    guard !isSaving else { return }
    isSaving = true
    Task {
      while let memory = unsaved {
        unsaved = nil
        do {
          try await persistenceService.save(memory, withKey: Memory.key)
        } catch {
          log.info("save — failed: \(error.logLabel)")
        }
      }
      isSaving = false
    }
  }

  private struct Memory: Codable, Sendable {
    static let key = "panes"

    /// By the tab's title.
    var shifts: [String: Int]
  }
}

private struct InterfaceMemoryKey: EnvironmentKey {
  @MainActor static let defaultValue = InterfaceMemory()
}

private struct PaneLayoutServiceKey: EnvironmentKey {
  @MainActor static let defaultValue = PaneLayoutService()
}

extension EnvironmentValues {
  public var interfaceMemory: InterfaceMemory {
    get { self[InterfaceMemoryKey.self] }
    set { self[InterfaceMemoryKey.self] = newValue }
  }

  public var paneLayoutService: PaneLayoutService {
    get { self[PaneLayoutServiceKey.self] }
    set { self[PaneLayoutServiceKey.self] = newValue }
  }
}
