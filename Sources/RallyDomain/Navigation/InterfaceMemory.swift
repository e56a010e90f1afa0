import Logging
import Observation
import RallyEnvironment
import RallySystem

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

private struct InterfaceMemoryKey: EnvironmentKey {
  @MainActor static let defaultValue = InterfaceMemory()
}

extension EnvironmentValues {
  public var interfaceMemory: InterfaceMemory {
    get { self[InterfaceMemoryKey.self] }
    set { self[InterfaceMemoryKey.self] = newValue }
  }
}
