import Logging
import Observation
import RallyEnvironment
import RallySystem
import RallyWire

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

private struct PaneLayoutServiceKey: EnvironmentKey {
  @MainActor static let defaultValue = PaneLayoutService()
}

extension EnvironmentValues {
  public var paneLayoutService: PaneLayoutService {
    get { self[PaneLayoutServiceKey.self] }
    set { self[PaneLayoutServiceKey.self] = newValue }
  }
}
