import FoundationEssentials
import RallyText
import RallyWire

/// A mission as the screens show it: at a place that exists.
@dynamicMemberLookup
public struct Mission: Hashable, Sendable, Identifiable, HasMissionFields {
  public let record: MissionRecord
  public let centre: Coordinate

  public var id: UUID { record.id }
  public var fields: MissionFields { record.fields }

  /// - Returns: nil if the row's coordinate is invalid.
  public init?(_ record: MissionRecord) {
    guard let centre = record.centre else { return nil }
    self.centre = centre
    self.record = record
  }

  public subscript<Value>(dynamicMember keyPath: KeyPath<MissionRecord, Value>) -> Value {
    record[keyPath: keyPath]
  }

  /// Members who joined; without those who are only invited.
  public var joined: [MissionMemberRecord] { record.members.filter { $0.state == .joined } }

  public func isCreator(_ userID: UUID?) -> Bool {
    userID != nil && record.creatorID == userID
  }

  public func phase(at time: WireTime) -> MissionPhase { record.phase(at: time) }
}

/// A check-in that the server has not accepted: pending or refused.
public struct PendingCheckIn: Hashable, Sendable, Codable, Identifiable {
  public enum Status: Hashable, Sendable, Codable {
    /// The request is running.
    case sending
    /// Waiting for the network; sent in order when it returns.
    case queued
    /// The mission ended before it could be sent; the user decides.
    case late
    /// One sentence that says why.
    case refused(String)
  }

  /// Whether it is sent by itself: what was refused is not queued.
  public var isWaiting: Bool { status == .sending || status == .queued }

  /// Also the call's `p_client_id`, which makes retries idempotent.
  public var id: UUID
  public var missionID: UUID
  public var objectiveID: UUID
  public var missionTitle: String
  public var objectiveTitle: String
  public var madeAt: WireTime
  public var status: Status
  /// Whether it is on the disk, so that it outlives the program.
  public var isKept = true

  /// The names under which check-ins that wait for the network are stored.
  private enum CodingKeys: String, CodingKey {
    case id, missionID, objectiveID, missionTitle, objectiveTitle, madeAt
    case status = "standing"
  }

  public init(
    id: UUID = UUID(), missionID: UUID, objectiveID: UUID, missionTitle: String,
    objectiveTitle: String, madeAt: WireTime, status: Status
  ) {
    self.id = id
    self.missionID = missionID
    self.objectiveID = objectiveID
    self.missionTitle = missionTitle
    self.objectiveTitle = objectiveTitle
    self.madeAt = madeAt
    self.status = status
  }
}

/// The activity feed of one mission, or of all of mine; newest first.
public struct MissionFeed: Hashable, Sendable {
  public var lines: [MissionActivityRecord] = []
  /// Whether older lines can be fetched.
  public var hasMore = true
  /// Whether newer lines were dropped after long scrolling; `openFeed` loads them again.
  public var hasNewer = false
  public var isLoading = false
  /// The error of the latest failed fetch, as a sentence.
  public var problem: String?

  public init() {}
}

/// The search area of nearby missions.
public enum NearbyState: Hashable, Sendable {
  /// My position is unknown, so nothing can be nearby.
  case noPosition
  /// My zones or hours hold my position back, so nothing is asked about its surroundings.
  case heldBack
  /// Within this many metres of my position.
  case within(Double)
}
