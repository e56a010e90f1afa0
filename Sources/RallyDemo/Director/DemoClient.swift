import FoundationEssentials
import RallyClient
import RallyDomain
import RallySystem
import RallyWire

/// A signed-in client that acts as a cast member, or as the visitor during setup.
struct DemoClient: Sendable {
  let username: String
  let userID: UUID
  let client: SupabaseClient
  let authService: AuthService
  let friendsService: FriendsService
  let friendsRealtimeService: FriendsRealtimeService
  let locationsService: LocationsService
  let missionsService: MissionsService
  let missionActivityRealtimeService: MissionActivityRealtimeService

  /// Shared by all demo accounts; not secret, since the server is deleted with the demo.
  static let password = "look around"

  static func email(_ username: String) -> String { "\(username)@demo.invalid" }

  /// Signs the account up and sets its bio.
  init(username: String, displayName: String, bio: String, on address: ServerAddress) async throws {
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

  /// Publishes the member's current position with the precision that they share.
  ///
  /// - Parameters:
  ///   - elapsed: Time since the demo started.
  ///   - time: Timestamp of the fix.
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

  /// The report to publish. Below precise sharing the server's sharing table decides what is sent,
  /// so it is fetched first; nil when nothing may be sent.
  private func report(
    of fix: LocationFix, by member: CastMember, at time: WireTime
  ) async throws -> LocationReport? {
    guard member.sharing == .precise else {
      return SharingTable(try await locationsService.fetchLocationSharing())
        .report(of: fix, within: .none, at: time)
    }
    return LocationReport(
      coordinate: fix.coordinate, accuracyMetres: fix.accuracyMetres, speed: fix.speed,
      course: fix.course, battery: fix.battery, recordedAt: time, source: fix.source,
      precision: .precise)
  }

  func create(_ plan: MissionPlan, at time: WireTime) async throws -> Mission {
    guard let centre = Coordinate(latitude: plan.latitude, longitude: plan.longitude) else {
      throw DemoSetupError.noPlace
    }
    var call = CreateMission(
      title: plan.title, centre: centre, radiusMetres: plan.radius,
      endsAt: time.advanced(by: plan.duration), capacity: plan.capacity, visibility: .friends,
      objectives: plan.objectives.map {
        ObjectiveInput(
          title: $0.title, place: Coordinate(latitude: $0.latitude, longitude: $0.longitude),
          radiusMetres: $0.radius, count: $0.count)
      })
    call.brief = plan.brief
    call.repeats = plan.repeats
    call.timeZone = plan.repeats.map { _ in LocalTimeZone.current.identifier }
    return try await missionsService.createMission(call)
  }

  /// Closes the realtime connection; the member goes offline.
  func stop() async { await client.realtime?.stop() }
}

/// Why the demo could not start.
public enum DemoSetupError: ReportableError, Hashable, Sendable {
  /// The script contains invalid coordinates.
  case noPlace

  public var sentence: String { "The demo names a place that does not exist." }
}

/// A realtime event that a cast member may react to.
enum DemoEvent: Hashable, Sendable {
  case friendships
  case missions
  case activity(missionID: UUID)
}

/// Holds a cast member's realtime subscriptions and reports their events.
struct DemoListener: Sendable {
  let player: DemoClient

  /// Listens until the task is cancelled. The member appears online meanwhile.
  func listen(_ receive: @escaping @Sendable (DemoEvent) async -> Void) async {
    await withTaskGroup(of: Void.self) { [player] group in
      group.addTask {
        guard let events = try? await player.friendsRealtimeService.listen() else { return }
        for await event in events {
          switch event {
          case .live, .changed(.relation), .changed(.locationAsk), .changed(.unknown):
            await receive(.friendships)
          case .interrupted, .changed(.presence): continue
          }
        }
      }
      group.addTask {
        guard let events = try? await player.missionActivityRealtimeService.listen() else { return }
        for await event in events {
          switch event {
          case .live, .changed(.mission), .changed(.removed), .changed(.unknown):
            await receive(.missions)
          case .changed(.activity(let line)):
            await receive(.activity(missionID: line.missionID))
          case .interrupted: continue
          }
        }
      }
    }
  }
}
