import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyWire

extension MissionsStore {
  // MARK: - Activity

  /// Shows a mission with its activity; nil for the activity of all missions of mine.
  ///
  /// - What: Fetches the newest lines, and the mission itself where no list has it.
  /// - How: The feed stays open and is kept current until another mission's is opened.
  /// - Why: Lines are fetched only for what is shown.
  /// - Service Calls: `MissionsService.fetchMissionActivity`, `MissionsService.fetchMission`
  public func openFeed(_ missionID: UUID?) async {
    activity.open(missionID)
    if let missionID {
      openedID = missionID
      if mission(missionID) == nil { synchronizer.scheduleRefresh() }
    }
    await fetchNewest(missionID)
  }

  /// Fetches the page below the oldest line that is shown.
  ///
  /// - What: Adds older lines, until there are none.
  /// - How: The oldest line's time is the cursor; a page that no longer adjoins the feed is
  ///   dropped. Of more than 2,000 lines the newest are dropped.
  /// - Why: A feed can be longer than memory should hold.
  /// - Service Calls: `MissionsService.fetchMissionActivity`
  public func loadOlder(_ missionID: UUID?) async {
    guard let pages = activity.pages[missionID], let cursor = pages.cursor, pages.feed.hasMore,
      !pages.feed.isLoading
    else { return }
    changeFeed(missionID) { $0.begin() }
    do {
      let page = try await missionsService.fetchMissionActivity(
        missionID: missionID, before: cursor, limit: MissionFeedPages.pageSize)
      changeFeed(missionID) { $0.takeOlder(page, below: cursor) }
    } catch {
      failFeed(missionID, with: error)
    }
  }

  /// Posts a line to a mission.
  ///
  /// - What: Shows at once in `pendingLines`, and in the feeds once the server has it.
  /// - How: The same text after a lost response is sent with the same client id, so that it is
  ///   posted once.
  /// - Why: After a failure the text is still in the field, and nobody types it again.
  /// - Service Calls: `MissionsService.sayInMission`
  /// - Returns: The line, or `.invalid` with why it was not posted, for the field.
  @discardableResult
  public func say(
    _ text: String, in missionID: UUID
  ) async -> IntentOutcome<MissionActivityRecord> {
    let line: String
    do { line = try MissionText.line(text) } catch { return .invalid(error) }
    let clientID = activity.clientID(for: line, in: missionID)
    guard !pendingLines.contains(where: { $0.id == clientID }) else { return .notStarted }
    pendingLines.append(
      PendingLine(id: clientID, missionID: missionID, text: line, madeAt: now()))
    let service = missionsService
    let response = await Task {
      try await service.sayInMission(missionID, text: line, clientID: clientID)
    }.result
    pendingLines.removeAll { $0.id == clientID }
    switch response {
    case .success(let said):
      activity.answered(in: missionID)
      activity.insert(said)
      publishFeeds()
      return .done(said)
    case .failure(let error):
      // The field shows it, and keeps the text.
      let failure = presentFailure(
        error, title: "The line was not posted", source: "say", isPresented: false)
      return .invalid(FieldProblem(field: .text, advice: failure.description))
    }
  }

  /// Takes a line as an event brought it into the feeds that are open.
  func takeLine(_ line: MissionActivityRecord) {
    guard activity.isWatched(line.missionID) else { return }
    activity.insert(line)
    publishFeeds()
  }

  /// Keeps a line of somebody else for the notifications.
  func receive(_ line: MissionActivityRecord) {
    guard let userID, let speaker = line.userID, speaker != userID,
      !receivedLines.contains(where: { $0.id == line.id })
    else { return }
    receivedLines = receivedLines.suffix(Self.receivedLimit - 1) + [line]
  }

  /// Enough for the longest burst between two frames.
  private static var receivedLimit: Int { 50 }

  /// Fetches the newest lines of the feeds that are shown.
  func refreshWatchedFeeds() async {
    for missionID in activity.watched { await fetchNewest(missionID) }
  }

  private func fetchNewest(_ missionID: UUID?) async {
    let generation = activity.begin(missionID)
    let ownLines = activity.ownLines
    changeFeed(missionID) { $0.begin() }
    do {
      let page = try await missionsService.fetchMissionActivity(
        missionID: missionID, limit: MissionFeedPages.pageSize)
      guard activity.isCurrent(generation, of: missionID) else { return }
      let isBeforeOwnLine = ownLines != activity.ownLines
      changeFeed(missionID) { $0.takeNewest(page, isBeforeOwnLine: isBeforeOwnLine) }
    } catch {
      guard activity.isCurrent(generation, of: missionID) else { return }
      failFeed(missionID, with: error)
    }
  }

  private func failFeed(_ missionID: UUID?, with error: any Error) {
    // The feed shows it, below its lines.
    let failure = presentFailure(
      error, title: "Lines are not up to date", source: "activity", isPresented: false)
    changeFeed(missionID) { $0.fail(error.isExpectedError() ? nil : failure.description) }
  }

  private func changeFeed(_ missionID: UUID?, _ change: (inout MissionFeedPages) -> Void) {
    activity.change(missionID, change)
    publishFeeds()
  }

  private func publishFeeds() {
    let shown = activity.pages.mapValues(\.feed)
    if feeds != shown { feeds = shown }
  }

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
  /// - Why: What was read here is nobody else's business, so no server gets it.
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
