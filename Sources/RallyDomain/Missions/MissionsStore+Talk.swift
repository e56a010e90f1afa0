import FoundationEssentials
import RallyWire

extension MissionsStore {
  // MARK: - Talk

  /// How many lines of others I have not seen, by mission; of lines that were fetched. Missions
  /// without any are left out.
  public var unreadCounts: [UUID: Int] {
    var ids: [UUID: Set<UUID>] = [:]
    var limits: [UUID: WireTime] = [:]
    for feed in feeds.values {
      for line in feed.lines where line.isOf(others: userID) {
        let limit = limits[line.missionID] ?? seenUpTo(line.missionID)
        limits[line.missionID] = limit
        if line.createdAt > limit { ids[line.missionID, default: []].insert(line.id) }
      }
    }
    return ids.mapValues(\.count)
  }

  /// Up to when I have seen the talk of a mission on this machine.
  public func seenUpTo(_ missionID: UUID) -> WireTime {
    let me = mission(missionID)?.members.first { $0.userID == userID }
    return reading.seenUpTo(missionID, joinedAt: me?.joinedAt)
  }

  /// Remembers that the talk was on the screen up to this time.
  ///
  /// - What: Those lines are no longer unread, also after a restart.
  /// - How: The time is written to a file of this account on this machine, in the background.
  /// - Why: What was read here is nobody else's business, so no server is told.
  /// - Service Calls: None
  public func see(_ missionID: UUID, upTo time: WireTime) {
    guard time > seenUpTo(missionID) else { return }
    if reading.see(missionID, upTo: time, now: now()) { readingWriter.save(reading) }
  }

  func restoreReading() async {
    if let kept = await readingWriter.read() {
      reading = kept
    } else {
      readingWriter.save(reading)
    }
  }
}

extension MissionActivityRecord {
  /// Whether a person other than me did it.
  ///
  /// - Parameter me: Nil before I am known, and then nothing is of others.
  public func isOf(others me: UUID?) -> Bool {
    guard let me, let userID else { return false }
    return userID != me
  }
}
