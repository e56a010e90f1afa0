import FoundationEssentials
import RallyWire

/// Friends' questions where I am, and mine to friends: by friend, with the time of the question.
public struct LocationAsks: Hashable, Sendable, Codable {
  /// Those that wait for my answer.
  public internal(set) var incoming: [UUID: WireTime] = [:]
  /// Those that I asked, whatever became of them.
  public internal(set) var outgoing: [UUID: WireTime] = [:]

  init() {}

  public init(_ rows: [LocationAskRecord]) {
    for row in rows {
      switch row.direction {
      case .incoming: incoming[row.userID] = row.askedAt
      case .outgoing: outgoing[row.userID] = row.askedAt
      }
    }
  }

  /// The friends who wait for my answer, who asked last first.
  public var askers: [UUID] {
    incoming.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
  }

  /// Whether asking this friend again changes nothing yet.
  public func isPaused(_ friend: UUID, at now: WireTime) -> Bool {
    outgoing[friend]?.isRecent(within: LocationAskRecord.pause, at: now) ?? false
  }

  /// Removes the questions of an earlier run that are too old, or ahead of the clock.
  mutating func dropEnded(at now: WireTime) {
    func counts(_ time: WireTime) -> Bool {
      time.isRecent(within: LocationAskRecord.lifetime, at: now)
    }
    incoming = incoming.filter { counts($0.value) }
    outgoing = outgoing.filter { counts($0.value) }
  }

  /// Notes a question, or its end for nil.
  mutating func set(_ time: WireTime?, of friend: UUID, _ direction: RequestDirection) {
    switch direction {
    case .incoming: incoming[friend] = time
    case .outgoing: outgoing[friend] = time
    }
  }

  mutating func remove(_ friend: UUID) {
    incoming[friend] = nil
    outgoing[friend] = nil
  }
}
