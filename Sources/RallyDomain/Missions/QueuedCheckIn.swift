import FoundationEssentials
import RallySystem
import RallyWire

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
