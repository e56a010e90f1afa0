import Foundation
import RallyDomain
import RallyWire

/// One of the cast, or the visitor before they come, at a client of their own.
struct DemoPlayer: Sendable {
  let username: String
  let userID: UUID
  let client: SupabaseClient
  let authService: AuthService
  let friendsService: FriendsService
  let friendsRealtimeService: FriendsRealtimeService
  let locationsService: LocationsService
  let missionsService: MissionsService
  let missionActivityRealtimeService: MissionActivityRealtimeService

  /// The whole demo is thrown away with its server, so that one password for all is no secret.
  static let password = "look around"

  static func email(_ username: String) -> String { "\(username)@demo.invalid" }

  /// Makes the account.
  init(
    username: String, displayName: String, bio: String, on address: ServerAddress
  ) async throws {
    client = SupabaseClient(tokens: nil, prepare: { address })
    authService = AuthService(client: client)
    friendsService = FriendsService(client: client)
    friendsRealtimeService = FriendsRealtimeService(client: client)
    locationsService = LocationsService(client: client)
    missionsService = MissionsService(client: client)
    missionActivityRealtimeService = MissionActivityRealtimeService(client: client)
    self.username = username
    let session = try await authService.signUp(
      email: Self.email(username), password: Self.password, username: username,
      displayName: displayName)
    userID = session.user.id
    _ = try await ProfileService(client: client).updateProfile(bio: bio)
  }

  /// Says where they are, as exactly as their friends may know.
  ///
  /// - Parameters:
  ///   - elapsed: Since the demo began.
  ///   - time: When that was.
  func publish(_ member: CastMember, after elapsed: Duration, at time: WireTime) async throws {
    let stand = member.route.stand(after: elapsed)
    guard let coordinate = stand.coordinate else { return }
    let fix = LocationFix(
      coordinate: coordinate, accuracyMetres: member.route.travel.accuracyMetres,
      speed: stand.speed, course: stand.course, battery: member.battery.level(after: elapsed),
      recordedAt: time, source: "gps")
    if let report = try await report(of: fix, by: member, at: time) {
      try await locationsService.publishLocations([report])
    }
  }

  /// Who shares all of it has nothing to cut; the others must know what the server has.
  private func report(
    of fix: LocationFix, by member: CastMember, at time: WireTime
  ) async throws -> LocationReport? {
    guard member.sharing == .precise else {
      return SharingTable(try await locationsService.fetchLocationSharing())
        .report(of: fix, at: time)
    }
    return LocationReport(
      coordinate: fix.coordinate, accuracyMetres: fix.accuracyMetres, speed: fix.speed,
      course: fix.course, battery: fix.battery, recordedAt: time, source: fix.source,
      precision: .precise)
  }

  func create(_ plan: MissionPlan, at time: WireTime) async throws -> Mission {
    guard let centre = Coordinate(latitude: plan.latitude, longitude: plan.longitude) else {
      throw DemoFailure.noPlace
    }
    return try await missionsService.createMission(
      CreateMission(
        title: plan.title, brief: plan.brief, centre: centre, radiusMetres: plan.radius,
        endsAt: time.advanced(by: plan.duration), capacity: plan.capacity, visibility: .friends,
        objectives: plan.objectives.map {
          ObjectiveInput(
            title: $0.title, place: Coordinate(latitude: $0.latitude, longitude: $0.longitude),
            radiusMetres: $0.radius, count: $0.count)
        }))
  }

  /// The link is given up; others see them go.
  func stop() async { await client.realtime?.stop() }
}

/// Why the demo could not begin.
public enum DemoFailure: Error, Hashable, Sendable {
  /// A place of the script is not on Earth.
  case noPlace
}
