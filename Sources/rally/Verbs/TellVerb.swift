import ArgumentParser
import RallyCommand
import RallyDomain
import RallySystem
import RallyWire

struct TellVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tell", abstract: "Be notified once when a friend is near a place, or leaves it.",
    discussion: """
      `rally tell bob near 500m`, `rally tell bob leaves here`, \
      `rally tell anybody near Porto until friday`: kept and decided on this machine by the open \
      interface, over what friends show you. Nobody learns of it, and no server is asked.
      """,
    subcommands: [TellAdd.self, TellList.self, TellRemove.self], defaultSubcommand: TellAdd.self)
}

struct TellAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add an alert.",
    discussion: """
      WHO near [DISTANCE] [of] [PLACE] [until TIME], or WHO leaves [PLACE] [until TIME]. Without a \
      place near is near you, wherever you are then, and somebody leaves where they are now. The \
      word here is where you are now. DISTANCE is 500m or 2km, TIME is 2h, 21:00, tonight, friday \
      or friday 18:00.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var places: PlaceOptions
  // A southern latitude looks like a flag.
  @Argument(
    parsing: .allUnrecognized,
    help: "A friend's username, or anybody; then near or leaves, and the rest.")
  var words: [String]

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let alerts = await session.alerts()
    guard alerts.isKnown else {
      throw VerbFailure(
        .failed, "Your friends are not known on this machine yet.",
        advice: "Open `rally` once, then try again.")
    }
    let words = words.flatMap { $0.split(separator: " ").map(String.init) }
    var request = try AlertRequest(words, now: .now)
    let place = try await request.findPlace(among: alerts.missions) { text throws(FieldProblem) in
      try await session.place(typed: text, places)
    }
    let added = try await alerts.store.add(request, at: place, in: alerts.scene())
    if let unkept = added.unkept {
      throw VerbFailure(.failed, "The alert is not kept: \(unkept)")
    }
    session.output.message(added.sentence)
    let folders = await session.services.folders
    if !ClientLock(folders: folders).isHeld {
      session.output.message("No Rally is open: it is looked at once one is.")
    }
  }
}

struct TellList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List your alerts.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let alerts = await session.alerts()
    // Why is printed already, as a notice of the storage.
    if await alerts.store.loadState.failure != nil {
      throw VerbFailure(.failed, "Your alerts cannot be read.")
    }
    let (now, scene) = (WireTime.now, await alerts.scene())
    let rows = await alerts.store.alerts.filter { $0.until.map { $0 > now } ?? true }
      .map { AlertRow(alert: $0, problem: $0.obstacle(in: scene, at: now)) }
    try session.list(
      rows, as: \.self, headings: ["", "who", "what", "", ""],
      nothing: "No alert waits. `rally tell bob near 500m` makes one."
    ) { row in
      [
        "\(row.alert.id)", row.alert.who, row.alert.what(), row.alert.end(at: now) ?? "",
        row.problem ?? "",
      ]
    }
  }
}

struct TellRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove an alert.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The number that `rally tell list` shows.") var number: Int

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let store = await session.alerts().store
    switch await store.remove(number) {
    case .done(true): break
    case .refused(let error): throw error
    case .done(false), .invalid, .notStarted:
      throw VerbFailure(
        .refused, "You have no alert \(number).", advice: "`rally tell list` lists them.")
    }
    session.output.message("Alert \(number) is removed.")
  }
}

extension CommandSession {
  /// Alerts, and what the interface last saw of friends: no server is asked.
  @MainActor
  fileprivate func alerts() async -> CommandAlerts {
    let (social, map) = (services.makeSocialStore(), services.makeMapStore())
    let missions = services.makeMissionsStore()
    let store = services.makeAlertsStore()
    await social.restoreFromCache()
    await map.restoreFromCache()
    await missions.restoreFromCache()
    await store.restore()
    map.updateFriends(social.friends)
    let provider = await restoredLocationProvider
    return CommandAlerts(
      store: store, isKnown: social.asOf != nil, missions: missions.active
    ) { AlertScene(social, map, provider, at: .now) }
  }
}

@MainActor
private struct CommandAlerts {
  let store: AlertsStore
  /// Whether friends are known.
  let isKnown: Bool
  let missions: [Mission]
  let scene: @MainActor () -> AlertScene
}

/// An alert as the verbs print it with `--json`: what is unknown is null.
private struct AlertRow: JSONRow {
  let alert: LocationAlert
  let problem: String?

  var members: [String: (any Encodable)?] {
    [
      "id": alert.id,
      "username": alert.friend?.username,
      "condition": alert.condition,
      "distance_m": alert.metres,
      "place": alert.placeWords,
      "until": alert.until,
      "problem": problem,
    ]
  }
}
