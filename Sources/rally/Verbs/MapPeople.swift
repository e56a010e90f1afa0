import RallyClient
import RallyCommand
import RallyDomain
import RallyStreets
import RallySystem
import RallyWire
import RallyWords

/// The people on a printed map.
struct MapPeople {
  /// The nearest to me first; in the order of the friends' list if my position is not known.
  var positions: [FriendPosition] = []
  var me: LocationFix?
  var now = WireTime.now

  init() {}

  /// Friends and me, as far as known; prints a message if the server is not reached.
  init(of session: CommandSession) async throws {
    let services = session.services
    guard await services.authService.currentSession != nil else { return }
    me = await session.restoredLocationProvider.fix
    do {
      let friends = try await session.friends(named: nil)
      let records = try await services.locationsService.fetchFriendLocations()
      now = .now
      positions = friends.compactMap { friend in
        records.first { $0.userID == friend.id }.flatMap { FriendPosition($0, of: friend) }
      }.filter { $0.isShown(at: now) }
    } catch {
      guard let failure = VerbFailure(translating: error) else { throw error }
      session.output.message("No friends on the map: \(failure.message)")
    }
    guard let me = me?.coordinate else { return }
    positions.sort {
      (me.distance(to: $0.coordinate), $0.profile.username)
        < (me.distance(to: $1.coordinate), $1.profile.username)
    }
  }

  /// One sentence for each person, with all that the map would show.
  func sentences(_ tiles: StreetTiles) async -> [String] {
    var sentences: [String] = []
    for position in positions {
      let place =
        await tiles.place(of: position)?.title
        ?? PlaceFinder.world.nearest(position.coordinate)?.name
      sentences.append(
        PositionFormatter.sentence(on: position, at: now, near: place, from: me))
    }
    return sentences
  }
}
