import RallyWire

/// The users that the demo simulates. The people are invented; the coordinates are real places.
public enum Cast {
  /// The account that the person trying the demo is signed in to.
  public static let visitor = (
    username: "dario", displayName: "Dario Conti", bio: "Looks around.",
    // The Place du Palais, above the harbour: a walk from where Ana is.
    place: (43.7312, 7.4215), placeName: "Monaco", accuracyMetres: 20.0
  )

  /// Where the map begins: the harbour with everybody around it. The zoom is as the map engine
  /// counts: from 13.5 on streets have names.
  public static let view = (latitude: 43.7332, longitude: 7.4218, zoom: 13.5)

  public static let all: [CastMember] = [
    ana, kenji, lucia, max, zoe, okoro, amina, noor, tomas, ines, sigrid,
  ]

  public static func member(_ username: String) -> CastMember? {
    all.first { $0.username == username }
  }

  static let ana = CastMember(
    username: "ana", displayName: "Ana Pereira", bio: "Knows every stair of the Rock.",
    bond: .friend, sharing: .precise,
    route: DemoRoute(
      .walking, speed: 1.3, MonacoRoutes.roundOfLaCondamine, end: .round, begun: 110),
    battery: Battery(charge: 83, drain: 14))

  static let kenji = CastMember(
    username: "kenji", displayName: "田中 健司", bio: "Rides before the city wakes.",
    bond: .friend, sharing: .precise,
    route: DemoRoute(
      .cycling, speed: 5.6,
      [
        (35.6852, 139.7528), (35.7141, 139.7774), (35.7148, 139.7967), (35.6960, 139.7936),
        (35.6841, 139.7744),
      ], end: .round),
    battery: Battery(charge: 64, drain: 17))

  static let lucia = CastMember(
    username: "lucia", displayName: "Lucía Gómez", bio: "Somewhere off the coast, as always.",
    bond: .friend, sharing: .precise,
    route: DemoRoute(
      .sailing, speed: 3.4, [(-35.10, -55.20), (-34.98, -54.55), (-34.80, -53.95)],
      end: .thereAndBack, begun: 21_000),
    battery: Battery(charge: 41, drain: 9))

  static let max = CastMember(
    username: "max", displayName: "Max Lind", bio: "The bell works, the brakes too.",
    bond: .friend, sharing: .precise,
    // Comes round the corner of the Rue Suffren Reymond after 18 s, and is there after 46 s.
    route: DemoRoute(.cycling, speed: 4.3, MonacoRoutes.rideFromTheCasino, end: .stays, begun: 700),
    battery: Battery(charge: 37, drain: 6))

  static let zoe = CastMember(
    username: "zoe", displayName: "Zoë Brandt", bio: "Sea baths, then coffee.",
    bond: .friend, sharing: .approximate1km,
    route: DemoRoute(
      .walking, speed: 1.2,
      [(-33.8915, 151.2700), (-33.9040, 151.2640), (-33.9190, 151.2540)], end: .thereAndBack),
    battery: Battery(charge: 92, drain: 12))

  static let okoro = CastMember(
    username: "okoro", displayName: "Andrew Okoro", bio: "Takes the slow train.",
    bond: .friend, sharing: .approximate10km,
    route: DemoRoute(
      .train, speed: 27,
      [(-1.3300, 36.9200), (-2.6900, 38.1600), (-3.3961, 38.5561), (-3.9900, 39.5800)],
      end: .thereAndBack, begun: 92_000),
    battery: Battery(charge: 58, drain: 8))

  static let amina = CastMember(
    username: "amina", displayName: "Amina Diallo", bio: "Two wheels and a thermos.",
    bond: .friend, sharing: .precise,
    route: DemoRoute(
      .cycling, speed: 5.2, [(14.7300, -17.4400), (14.7500, -17.2900), (14.7910, -16.9260)],
      end: .thereAndBack, begun: 6_000),
    battery: Battery(charge: 71, drain: 13))

  static let noor = CastMember(
    username: "noor", displayName: "Noor Haddad", bio: "Takes the stairs, never the lift.",
    bond: .friend, sharing: .precise,
    route: DemoRoute(.walking, speed: 1.4, MonacoRoutes.walkFromTheMills, end: .stays, begun: 690),
    battery: Battery(charge: 49, drain: 15))

  static let tomas = CastMember(
    username: "tomas", displayName: "Tomás Rey", bio: "Met at the fog run.",
    bond: .stranger, sharing: .precise,
    route: DemoRoute(.cycling, speed: 4.6, MonacoRoutes.rideFromTheGarden, end: .stays, begun: 545),
    battery: Battery(charge: 55, drain: 10))

  static let ines = CastMember(
    username: "ines", displayName: "Inês Vaz", bio: "Back when the wind drops.",
    bond: .asked, sharing: .precise,
    route: DemoRoute(
      .sailing, speed: 3.1, [(43.7360, 7.4390), (43.7290, 7.4410), (43.7270, 7.4330)],
      end: .round),
    battery: Battery(charge: 88, drain: 11))

  static let sigrid = CastMember(
    username: "sigrid", displayName: "Sigrid Dahl", bio: "Says yes to most things.",
    bond: .stranger, sharing: .precise,
    route: DemoRoute(
      .ferry, speed: 9.5,
      [(60.3500, 4.5500), (59.9000, 4.6500), (59.3500, 4.7000), (58.9500, 5.1000)],
      end: .thereAndBack, begun: 30_000),
    battery: Battery(charge: 76, drain: 7))
}

/// A simulated user of the demo.
public struct CastMember: Hashable, Sendable, Identifiable {
  /// Friendship with the visitor when the demo starts.
  public enum Bond: Hashable, Sendable {
    case friend
    /// The visitor has sent them a friend request.
    case asked
    case stranger
  }

  public let username: String
  public let displayName: String
  public let bio: String
  public let bond: Bond
  /// The precision at which they share their location with friends.
  public let sharing: SharingMode
  public let route: DemoRoute
  public let battery: Battery

  public var id: String { username }
}
