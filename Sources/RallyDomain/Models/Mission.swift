import Foundation
import RallyWire

/// A mission as the screens know it: at a place that exists.
@dynamicMemberLookup
public struct Mission: Hashable, Sendable, Identifiable {
  public let record: MissionRecord
  public let centre: Coordinate

  public var id: UUID { record.id }

  /// - Returns: nil where the row names no place on Earth.
  public init?(_ record: MissionRecord) {
    guard let centre = record.centre else { return nil }
    self.centre = centre
    self.record = record
  }

  public subscript<Value>(dynamicMember keyPath: KeyPath<MissionRecord, Value>) -> Value {
    record[keyPath: keyPath]
  }

  /// Those who are in it.
  public var joined: [MissionMemberRecord] { record.members.filter { $0.state == .joined } }

  public func isCreator(_ userID: UUID?) -> Bool {
    userID != nil && record.creatorID?.wrappedValue == userID
  }

  public func phase(at time: WireTime) -> MissionPhase { record.phase(at: time) }
}

/// A check-in that the server does not have yet, or refused.
public struct PendingCheckIn: Hashable, Sendable, Codable, Identifiable {
  public enum Standing: Hashable, Sendable, Codable {
    /// Under way now.
    case sending
    /// Waits for the network; it goes out in order when it returns.
    case queued
    /// The mission ended before it could be sent: the person decides.
    case late
    /// One sentence that says why.
    case refused(String)
  }

  /// Also the call's `p_client_id`, so that repeats are harmless.
  public var id: UUID
  public var missionID: UUID
  public var objectiveID: UUID
  public var missionTitle: String
  public var objectiveTitle: String
  public var madeAt: WireTime
  public var standing: Standing

  public init(
    id: UUID = UUID(), missionID: UUID, objectiveID: UUID, missionTitle: String,
    objectiveTitle: String, madeAt: WireTime, standing: Standing
  ) {
    self.id = id
    self.missionID = missionID
    self.objectiveID = objectiveID
    self.missionTitle = missionTitle
    self.objectiveTitle = objectiveTitle
    self.madeAt = madeAt
    self.standing = standing
  }
}

/// The lines of one mission, or of all of mine: the newest first.
public struct MissionFeed: Hashable, Sendable {
  public var lines: [MissionActivityRecord] = []
  /// Whether older lines can be fetched.
  public var hasMore = true
  /// Whether lines above the first were let go, after long scrolling; `openFeed` brings them back.
  public var hasNewer = false
  public var isLoading = false
  /// Of the latest fetch that failed: one sentence.
  public var problem: String?

  public init() {}
}

/// Where missions nearby are looked for.
public enum NearbyState: Hashable, Sendable {
  /// Nobody knows where I am: nothing can be near.
  case noPosition
  /// Within this many metres of me.
  case within(Double)
}
