import Foundation
import RallyDomain
import RallyWire

/// Sample users and rows for tests.
public enum Samples {
  public static let password = "correct horse"

  public static func id(_ number: Int) -> UUID {
    let digits = String(number)
    let padded = String(repeating: "0", count: max(0, 12 - digits.count)) + digits
    return UUID(wireText: "00000000-0000-4000-8000-\(padded)") ?? UUID()
  }

  public static let time = WireTime("2026-03-01T12:00:00Z") ?? .now

  /// Names, some with wide characters and accents.
  public static let names = [
    ("ana", "Ana Pereira"), ("kenji", "田中 健司"), ("lu", "Lucía Gómez"), ("rui", "Rui Costa"),
    ("max", "Max Lind"), ("zoe", "Zoe Brandt"), ("okoro", "Andrew Okoro"), ("tomas", "Tomás Rey"),
    ("inesv", "Ines Vaz"),
  ]

  /// The user with this number; numbers beyond `names` get a generated name.
  public static func person(
    _ number: Int, status: FriendshipStatus? = nil, presence: Presence? = nil
  ) -> CommunityProfile {
    let (username, displayName) =
      names.indices.contains(number) ? names[number] : ("person\(number)", "Person \(number)")
    return CommunityProfile(
      id: id(number), username: username, displayName: displayName,
      bio: "Met at the fog run.", joinedAt: time, since: status == .friends ? time : nil,
      presence: presence, lastSeen: nil, friendshipStatus: status)
  }

  public static func friend(_ number: Int, presence: Presence = .offline) -> CommunityProfile {
    person(number, status: .friends, presence: presence)
  }

  public static func request(
    _ number: Int, _ direction: RequestDirection = .incoming
  ) -> FriendRequestItem {
    FriendRequestItem(
      profile: person(number, status: direction == .incoming ? .incoming : .outgoing),
      direction: direction, createdAt: time)
  }

  /// A session as a server returns it.
  public static func session(
    user: UUID = id(1), token: String = "access-1", refreshToken: String = "refresh-0001",
    expiresIn: Int = 3600, at now: WireTime = time
  ) -> AuthSession {
    AuthSession(
      accessToken: token, expiresIn: expiresIn,
      expiresAt: Int(now.microseconds / 1_000_000) + expiresIn, refreshToken: refreshToken,
      user: AuthUser(
        id: user, email: "ana@example.org", appMetadata: [:], userMetadata: [:],
        createdAt: now.zulu, updatedAt: now.zulu))
  }

  // MARK: - Map

  public static let lisbon = coordinate(38.7223, -9.1393)
  public static let porto = coordinate(41.1496, -8.611)

  /// A valid coordinate; traps if it is not.
  public static func coordinate(_ latitude: Double, _ longitude: Double) -> Coordinate {
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
      preconditionFailure("\(latitude), \(longitude) is no place")
    }
    return place
  }

  /// A friend's position as the server sends it.
  public static func location(
    of number: Int, at coordinate: Coordinate = lisbon, precision: SharingMode = .precise,
    recordedAt: WireTime = time, version: Int64 = 1, speed: Double? = nil,
    course: Double? = nil
  ) -> LocationRecord {
    LocationRecord(
      userID: id(number), coordinate: coordinate,
      accuracyMetres: precision.gridLevel?.accuracyMetres ?? 12, speed: speed, course: course,
      battery: nil, recordedAt: recordedAt, source: "manual", precision: precision,
      version: version)
  }

  // MARK: - Missions

  /// A mission as the server sends it: near Lisbon, running, with user 1 as a member.
  public static func mission(
    _ number: Int, title: String = "Lanterns", centre: Coordinate = lisbon,
    radiusMetres: Double = 50, startsAt: WireTime = time, endsAt: WireTime? = nil,
    capacity: Int? = nil, visibility: MissionVisibility = .invited,
    state: MissionState = .open, closedAt: WireTime? = nil, version: Int64 = 1,
    creator: Int = 1, objectives: [ObjectiveRecord] = [], members: [MissionMemberRecord] = [],
    memberCount: Int = 1, myState: MissionMembership? = .joined
  ) -> MissionRecord {
    var fields = MissionFields(
      title: title, centre: centre, radiusMetres: radiusMetres, startsAt: startsAt,
      endsAt: endsAt)
    fields.capacity = capacity
    fields.visibility = visibility
    var record = MissionRecord(
      id: id(number), creatorID: id(creator), fields: fields, createdAt: time, version: version,
      objectives: objectives, members: members, memberCount: memberCount)
    record.state = state
    record.closedAt = closedAt
    record.myState = myState
    return record
  }

  public static func objective(
    _ number: Int, title: String = "Blue door", place: Coordinate? = nil,
    radiusMetres: Double? = nil, count: Int = 1, checkIns: Int = 0
  ) -> ObjectiveRecord {
    ObjectiveRecord(
      id: id(number), title: title, place: place, radiusMetres: radiusMetres, count: count,
      checkIns: checkIns, lastBy: nil, lastAt: nil)
  }

  public static func member(
    _ number: Int, state: MissionMembership = .joined
  ) -> MissionMemberRecord {
    let person = person(number)
    return MissionMemberRecord(
      userID: person.id, username: person.username, displayName: person.displayName,
      state: state, joinedAt: state == .joined ? time : nil)
  }

  /// An activity line, `number` seconds after `time`.
  public static func line(
    _ number: Int, _ kind: ActivityKind = .said, by author: Int? = 2, in mission: Int = 1,
    objectiveTitle: String? = nil, text: String? = nil
  ) -> MissionActivityRecord {
    let writer = author.map { person($0) }
    return MissionActivityRecord(
      id: id(100_000 + number), missionID: id(mission), missionTitle: "Lanterns", kind: kind,
      userID: writer?.id, username: writer?.username, displayName: writer?.displayName,
      objectiveTitle: objectiveTitle, text: kind == .said ? text ?? "line \(number)" : nil,
      createdAt: time.advanced(by: .seconds(number)))
  }
}
