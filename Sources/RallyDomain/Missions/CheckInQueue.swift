import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyWire

/// What a queue of check-ins needs, and where it reports what becomes of them.
@MainActor
protocol CheckInQueueDelegate: AnyObject {
  /// The entries are others than before.
  func checkInsChanged()
  /// A known mission; nil if it is unknown.
  func mission(_ id: UUID) -> Mission?
  /// Why an entry must not leave this machine, as one sentence; nil if it may.
  func refusal(of entry: QueuedCheckIn) -> String?
  /// An attempt is over.
  func checkInAnswered(_ outcome: CheckInQueue.Outcome)
}

/// Check-ins that the server has not accepted yet, in order.
///
/// Each is written to a private file before it is sent, so that a crash loses none. The server
/// counts a repeat with the same id once. Where that fails it is sent all the same, and says that
/// it is in memory only. Its position is stored in that file only, and deleted with it.
@MainActor
final class CheckInQueue {
  /// The result of sending an entry.
  enum Outcome {
    /// Accepted; the mission as it is now.
    case accepted(Mission)
    /// Refused, or too late; it stays in the queue.
    case refused(PendingCheckIn, any Error)
    /// Not answered, or with a failure that may pass; it waits for `startSending`.
    case postponed
  }

  private(set) var entries: [QueuedCheckIn] = [] {
    didSet { delegate?.checkInsChanged() }
  }
  weak var delegate: (any CheckInQueueDelegate)?

  private let authService: AuthService
  private let missionsService: MissionsService
  private let persistenceService: PersistenceService
  private let now: () -> WireTime
  private var ownerID: UUID?
  /// Whether the file was read; nothing is written in its place before.
  private var isRestored = false
  private var sending: Task<Void, Never>?
  private var isSendWanted = false
  /// Entries that are not in the file yet; they are sent only once they are.
  private var unwrittenIDs: Set<UUID> = []
  private var writing: Task<Void, Never>?
  /// Why the entries are not in the file; nil if they are.
  private var writeFailure: (any Error)?
  private let log = RallyLog.logger("CheckIns")

  /// - Parameter persistenceService: Where the file is, in the state folder.
  init(
    authService: AuthService, missionsService: MissionsService,
    persistenceService: PersistenceService, now: @escaping () -> WireTime
  ) {
    self.authService = authService
    self.missionsService = missionsService
    self.persistenceService = persistenceService
    self.now = now
  }

  nonisolated static func key(userID: UUID) -> String { "check-ins-\(userID.wireText)" }

  /// Restores the signed-in user's entries of an earlier run, once; sends nothing. A file that cannot
  /// be read is tried again at the next call.
  func restore() async {
    guard !isRestored, let userID = await authService.currentUserID else { return }
    if ownerID == nil { ownerID = userID }
    let kept: [QueuedCheckIn]
    do {
      kept =
        try await persistenceService.retrieve(
          [QueuedCheckIn].self, withKey: Self.key(userID: userID)) ?? []
    } catch {
      // The service reports it.
      return
    }
    guard !isRestored else { return }
    isRestored = true
    let known = Set(entries.map(\.id))
    let earlier = kept.filter { !known.contains($0.id) }.map { entry in
      var entry = entry
      if entry.shown.status == .sending { entry.shown.status = .queued }
      entry.wasQueued = true
      return entry
    }
    if !earlier.isEmpty { entries = earlier + entries }
  }

  /// Adds a check-in, saves and sends it; returns after the first attempt.
  func add(_ entry: QueuedCheckIn) async {
    // A refusal for the same objective is outdated, and one pending check-in is enough.
    let same = entries.filter { $0.shown.objectiveID == entry.shown.objectiveID }
    guard entry.place == nil || !same.contains(where: \.isWaiting) else { return }
    entries =
      entries.filter { other in !same.contains { $0.id == other.id } || other.isWaiting }
      + [entry]
    guard entry.place != nil else { return }
    unwrittenIDs.insert(entry.id)
    await restore()
    await write()
    unwrittenIDs.remove(entry.id)
    await send()
  }

  func remove(_ id: UUID) async {
    guard entries.contains(where: { $0.id == id }) else { return }
    entries.removeAll { $0.id == id }
    await write()
  }

  /// Sends a waiting entry now, and a late one although its mission seems to be over.
  func retry(_ id: UUID) async {
    guard let index = entries.firstIndex(where: { $0.id == id }), entries[index].place != nil
    else { return }
    if entries[index].shown.status == .late { entries[index].isInsisted = true }
    entries[index].shown.status = .sending
    await send()
  }

  /// Sends the waiting entries in order, until the network fails.
  func startSending() {
    isSendWanted = true
    guard sending == nil else { return }
    sending = Task { [weak self] in
      while let self, self.isSendWanted {
        self.isSendWanted = false
        await self.sendWaiting()
      }
      self?.sending = nil
    }
  }

  /// As above; returns after the attempt.
  private func send() async {
    startSending()
    await sending?.value
  }

  /// Returns once everything is written.
  func finish() async { await writing?.value }

  private func sendWaiting() async {
    guard !entries.isEmpty else { return }
    await restore()
    while let entry = entries.first(where: \.isWaiting), !unwrittenIDs.contains(entry.id) {
      guard let ownerID, await authService.currentUserID == ownerID else { break }
      guard let place = entry.place else { break }
      if let sentence = delegate?.refusal(of: entry) {
        await setStatus(.refused(sentence), of: entry.id)
        continue
      }
      if !entry.isInsisted, entry.isOver(delegate?.mission(entry.shown.missionID), at: now()) {
        await setStatus(.late, of: entry.id)
        continue
      }
      update(entry.id) { $0.shown.status = .sending }
      do {
        let mission = try await missionsService.checkIn(
          entry.shown.objectiveID, of: entry.shown.missionID, at: place,
          accuracyMetres: entry.accuracyMetres, clientID: entry.id)
        entries.removeAll { $0.id == entry.id }
        await write()
        delegate?.checkInAnswered(.accepted(mission))
      } catch {
        guard await fail(entry, with: error) else { break }
      }
    }
    for entry in entries where !unwrittenIDs.contains(entry.id) {
      update(entry.id) { if $0.shown.status == .sending { $0.shown.status = .queued } }
    }
  }

  /// - Returns: Whether the next entry may be tried.
  private func fail(_ entry: QueuedCheckIn, with error: any Error) async -> Bool {
    log.info("send — failed: \(error.logLabel)")
    let waits = error.isExpectedError() || (error as? NetworkError)?.isTransient == true
    if waits {
      // Offline, a check-in that cannot count is refused here at once.
      if !entry.wasQueued, let advice = entry.localRefusal {
        await setStatus(.refused(advice), of: entry.id)
        return true
      }
      update(entry.id) {
        $0.wasQueued = true
        $0.shown.status = .queued
      }
      if let writeFailure {
        persistenceService.report("A check-in that waits is lost when Rally ends", writeFailure)
      }
      delegate?.checkInAnswered(.postponed)
      return false
    }
    let reason: FailureReason? =
      if case NetworkError.refused(let failure, _) = error { failure.reason } else { nil }
    let isLate = reason == .missionOver && entry.wasQueued && !entry.isInsisted
    let advice = reason == .tooVague ? " \(CheckInAdvice.moreExact)" : ""
    await setStatus(isLate ? .late : .refused(error.sentence + advice), of: entry.id)
    if let left = entries.first(where: { $0.id == entry.id }) {
      delegate?.checkInAnswered(.refused(left.shown, error))
    }
    return true
  }

  /// A refused entry drops its position; a late one keeps it until the user decides.
  private func setStatus(_ status: PendingCheckIn.Status, of id: UUID) async {
    update(id) {
      $0.shown.status = status
      $0.isInsisted = false
      if status != .late { $0.place = nil }
    }
    await write()
  }

  private func update(_ id: UUID, _ change: (inout QueuedCheckIn) -> Void) {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
    var entry = entries[index]
    change(&entry)
    if entry != entries[index] { entries[index] = entry }
  }

  /// Saves the entries, one write at a time; none after the user signed out.
  private func write() async {
    let earlier = writing
    let task = Task { [weak self] in
      await earlier?.value
      guard let self, let ownerID = self.ownerID,
        await self.authService.currentUserID == ownerID
      else { return }
      await self.restore()
      let kept = self.entries.filter { $0.place != nil }
      guard self.isRestored else { return self.mark(kept, isKept: false) }
      let key = Self.key(userID: ownerID)
      do {
        if kept.isEmpty {
          try await self.persistenceService.delete(withKey: key)
        } else {
          try await self.persistenceService.save(kept, withKey: key)
          // The user signed out meanwhile: no position may stay here.
          if await self.authService.currentUserID != ownerID {
            try await self.persistenceService.delete(withKey: key)
          }
        }
        self.mark(kept, isKept: true)
        self.writeFailure = nil
      } catch {
        self.log.error("write — failed: \(error.logLabel)")
        self.mark(kept, isKept: false)
        self.writeFailure = error
      }
    }
    writing = task
    await task.value
  }

  private func mark(_ written: [QueuedCheckIn], isKept: Bool) {
    for entry in written { update(entry.id) { $0.shown.isKept = isKept } }
  }
}

/// A check-in with what is needed to send it.
struct QueuedCheckIn: Hashable, Sendable, Codable, Identifiable {
  var shown: PendingCheckIn
  /// The position of the check-in; nil once it will not be sent any more.
  var place: Coordinate?
  /// Metres; nil where it is not known.
  var accuracyMetres: Double?
  /// When the mission ends, as far as it was known then.
  var endsAt: WireTime?
  /// Why it is invalid by local checks: one sentence.
  var localRefusal: String?
  /// Whether it has waited for the network.
  var wasQueued = false
  /// Whether the user wants it sent although the mission seems to be over.
  var isInsisted = false

  var id: UUID { shown.id }

  /// Whether it is sent without another key press.
  var isWaiting: Bool {
    place != nil && shown.isWaiting
  }

  /// Whether its mission takes no check-ins any more, as far as that is known here.
  func isOver(_ mission: Mission?, at now: WireTime) -> Bool {
    if let mission { return !mission.phase(at: now).isOpen }
    return endsAt.map { now >= $0 } ?? false
  }
}

extension QueuedCheckIn {
  /// A check-in made at this moment.
  ///
  /// - Parameters:
  ///   - fix: Where the person is; without one it is refused on the spot.
  ///   - heldBack: Why their zones or hours let no check-in leave; nil if they do.
  init(
    _ objective: ObjectiveRecord, of mission: Mission, at fix: LocationFix?,
    heldBack: String? = nil, now: WireTime, id: UUID = UUID()
  ) {
    let refusal = fix == nil ? CheckInAdvice.noPosition : heldBack
    shown = PendingCheckIn(
      id: id, missionID: mission.id, objectiveID: objective.id, missionTitle: mission.title,
      objectiveTitle: objective.title, madeAt: now,
      status: refusal.map { .refused($0) } ?? .sending)
    if refusal == nil {
      place = fix?.coordinate
      accuracyMetres = fix?.accuracyMetres
    }
    endsAt = mission.endsAt
    localRefusal = fix.flatMap {
      CheckInAdvice.refusal(of: $0, at: objective, of: mission, now: now)
    }
  }
}

/// Why a check-in cannot count, in the words of this machine, for when no server says it.
public enum CheckInAdvice {
  /// What does in place of a city, which is known to some kilometres only.
  static let moreExact =
    "Say where you are exactly, as :here 38.7223,-9.1393, or let a phone report."

  /// Why a position is no proof of being somewhere; nil where it is one.
  public static func tooVague(accuracyMetres: Double) -> String? {
    guard accuracyMetres > MissionRules.worstAccuracy else { return nil }
    return "Your position is only known to \(GeoText.distance(accuracyMetres)); a check-in takes"
      + " \(GeoText.distance(MissionRules.worstAccuracy)) or better."
  }

  static let noPosition = "Say where you are first: :here Lisbon."

  /// One sentence; nil where nothing speaks against it.
  static func refusal(
    of fix: LocationFix, at objective: ObjectiveRecord, of mission: Mission, now: WireTime
  ) -> String? {
    switch mission.phase(at: now) {
    case .upcoming: return "\(mission.title) has not started yet."
    case .completed, .cancelled, .ended: return "\(mission.title) is over."
    case .active: break
    }
    if let sentence = fix.accuracyMetres.flatMap({ tooVague(accuracyMetres: $0) }) {
      return "\(sentence) \(moreExact)"
    }
    guard let target = mission.record.place(of: objective) else { return nil }
    let distance = fix.coordinate.distance(to: target.centre)
    if MissionRules.isWithin(
      distance: distance, accuracy: fix.accuracyMetres, radius: target.radiusMetres)
    {
      return nil
    }
    return "You are \(GeoText.distance(distance)) away; \(objective.title) takes"
      + " \(GeoText.distance(target.radiusMetres))."
  }
}
