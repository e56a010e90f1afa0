import FoundationEssentials
import RallyGate
import RallyWatch
import RallyWire

/// The cells that coarse links of this terminal show, by the rules of the server's gate, and the secret
/// from which the delays of moves follow.
///
/// It is kept in a private file: a link that is made anew at an edge reveals no more than one that went
/// on, and the same way has the same delay all month.
struct WatchGate: Hashable, Sendable, Codable {
  /// What is known of a level, and until when.
  private struct Memory: Hashable, Sendable, Codable {
    var announced: AnnouncedCell
    /// When it was last reported to.
    var at: WireTime
  }

  /// After this the next report is treated as the first.
  private static let lifetime = Duration.seconds(86_400)

  private let secret: [UInt8]
  private var memories: [String: Memory] = [:]

  init(secret: WatchKey = .random()) { self.secret = secret.bytes }

  /// The cell that may be shown after a report.
  ///
  /// - Parameters:
  ///   - place: Where this device is.
  ///   - measured: When it was measured.
  ///   - isFirst: Whether no link of this level was fed until now.
  mutating func report(
    _ place: Coordinate, level: GridLevel, of owner: String, measured: WireTime, isFirst: Bool,
    delay: MoveDelay = .derived, at now: WireTime
  ) -> AnnouncedCell {
    let key = WatchKey(bytes: secret)
    let known = remembered(level, near: isFirst ? place : nil, at: now)
    let next =
      known.map { known in
        known.announcing(at: now).following(
          place, measured: measured, at: now,
          due: {
            delay.due(
              CellMove(owner: owner, from: known.cell, to: $0, time: now),
              by: { key?.digest(of: $0) ?? [] })
          }, mark: { _ in "" })
      } ?? AnnouncedCell(first: place, level: level, measured: measured) { _ in "" }
    memories[level.rawValue] = Memory(announced: next, at: now)
    return next
  }

  /// The cell that may be shown without a report: a move that was due is announced.
  mutating func announced(_ level: GridLevel, at now: WireTime) -> AnnouncedCell? {
    guard var memory = memories[level.rawValue] else { return nil }
    memory.announced = memory.announced.announcing(at: now)
    memories[level.rawValue] = memory
    return memory.announced
  }

  /// - Parameter place: Where a link begins, which a cell has to be near to.
  private func remembered(
    _ level: GridLevel, near place: Coordinate?, at now: WireTime
  ) -> AnnouncedCell? {
    guard let memory = memories[level.rawValue],
      memory.at.isRecent(within: Self.lifetime, at: now)
    else { return nil }
    guard let place else { return memory.announced }
    let near = GridCell(containing: place, level: level).neighbourhood
    let shown = memory.announced.announcing(at: now)
    return near.contains(shown.cell) ? shown : nil
  }
}
