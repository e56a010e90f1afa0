import ArgumentParser
import RallyClient
import RallyCommand
import RallyDomain
import RallyStreets
import RallySystem
import RallyWire

struct WhereVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "where", abstract: "Say where your friends are, as far as they show you.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "Only this friend.") var username: String?
  @Flag(help: "Show what says where you are yourself, and why one is taken.") var sources = false

  func validate() throws {
    if sources, username != nil { throw ValidationError("--sources is about you; leave the name.") }
  }

  func run() async throws {
    if sources { return try await showSources() }
    let session = try await CommandSession(global)
    _ = try await session.requireSession()
    let wanted = try await session.friends(named: username)
    let rows = try await session.whereRows(of: wanted)
    if global.json { return try session.output.json(rows) }
    session.output.table(rows.map(\.cells), headings: WhereRow.headings)
    if rows.isEmpty {
      session.output.message(
        username == nil
          ? "No friend shows you where they are."
          : "\(wanted.first?.handle ?? "This friend") does not show you where they are.")
    }
    let privacy = await session.restoredPrivacyRules
    if let held = await privacy.sentence(of: session.services.currentLocationProvider) {
      session.output.message("You are \(held).")
    }
  }
}

extension WhereRow {
  static let headings = ["name", "username", "place", "from you", "seen"]

  /// The columns of `headings`.
  var cells: [String] {
    let place = near?.title ?? position.coordinate.description
    let about = position.precision == .precise ? place : "\(place) (\(position.precision.title))"
    let away = me.map { position.way(from: $0, wind: GeoText.direction) }
    return [
      position.profile.displayName, position.profile.handle, about, away ?? "",
      position.precision == .precise
        ? Age.sentence(position.recordedAt, at: now)
        : Age.within(quarter: position.recordedAt, at: now)
          ?? "since \(Age.sentence(position.latestTime, at: now))",
    ]
  }
}

extension CommandSession {
  /// Where these friends are, as far as they show it.
  func whereRows(of friends: [CommunityProfile]) async throws -> [WhereRow] {
    let records = try await services.locationsService.fetchFriendLocations()
    let me = await restoredLocationProvider.coordinate
    let now = WireTime.now
    let tiles = await streetTiles
    var rows: [WhereRow] = []
    for friend in friends {
      guard let record = records.first(where: { $0.userID == friend.id }),
        let position = FriendPosition(record, of: friend)
      else { continue }
      let street = await tiles.place(of: position)
      rows.append(
        WhereRow(
          position: position, me: me,
          near: street ?? PlaceFinder.world.nearest(position.coordinate), now: now))
    }
    return rows
  }

  /// All friends, or the one of this name; an `@` in front is fine.
  ///
  /// - Throws: `VerbFailure` with `refused` when no friend has this name.
  func friends(named name: String?) async throws -> [CommunityProfile] {
    let friendsService = await services.friendsService
    let friends = try await Pages.all {
      try await friendsService.fetchFriends(limit: Paging.maximumLimit, offset: $0)
    }
    guard let name else { return friends }
    let username = try Username(name)
    guard let friend = friends.first(where: { $0.username == username.value }) else {
      throw VerbFailure(
        .refused, "No friend of yours is called @\(username).",
        advice: "`rally friends list` lists them.")
    }
    return [friend]
  }
}
