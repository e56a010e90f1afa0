import ArgumentParser
import FoundationEssentials
import RallyClient
import RallyCommand
import RallyDomain
import RallyStreets
import RallySystem
import RallyText
import RallyWire

/// The context of a verb: the services of one profile on one server, and the output.
struct CommandSession {
  let services: AppServices
  let output: Output
  let configuration: Configuration
  private let locationProblem: VerbFailure?
  /// Prints when the server asks to wait, as long as the program runs.
  private let waiting: Task<Void, Never>

  @MainActor
  init(_ global: GlobalOptions) async throws {
    let setup = try await Setup(global)
    services = setup.services(on: setup.server)
    if let session = setup.guest?.session { try await services.authService.take(session) }
    output = Output(options: global)
    configuration = setup.configuration
    locationProblem = setup.locationProblem
    services.storageNotices.listen { [output] in output.message($0) }
    waiting = Task { [waits = services.client.waits(), output] in
      for await wait in waits { output.message(wait.waitSentence) }
    }
    _ = await services.authService.restoreSession()
  }

  /// The context of a verb that needs a person.
  ///
  /// - Throws: `VerbFailure.notSignedIn`, and what opening the files throws.
  static func signedIn(_ global: GlobalOptions) async throws -> CommandSession {
    let session = try await CommandSession(global)
    _ = try await session.requireSession()
    return session
  }

  /// Prints a list: as JSON, or else as a table, and a sentence where there is nothing.
  func list<Item, Row: Encodable>(
    _ items: [Item], as row: (Item) throws -> Row, headings: [String] = [], nothing: String,
    cells: (Item) -> [String]
  ) throws {
    if output.options.json { return try output.json(items.map(row)) }
    output.table(items.map(cells), headings: headings)
    if items.isEmpty { output.message(nothing) }
  }

  /// The signed-in person's session.
  ///
  /// - Throws: `VerbFailure.notSignedIn`.
  func requireSession() async throws -> AuthSession {
    guard let session = await services.authService.currentSession else {
      throw VerbFailure.notSignedIn
    }
    return session
  }

  /// Where this machine is, as kept on it.
  var restoredLocationProvider: CurrentLocationProvider {
    get async {
      let provider = await services.currentLocationProvider
      await provider.restore()
      return provider
    }
  }

  /// Where this machine is, measured anew.
  ///
  /// - Throws: `VerbFailure` for a variable of the environment that says wrongly what measures.
  func measured(within limit: Duration) async throws -> LocationChoice {
    if let locationProblem { throw locationProblem }
    return await restoredLocationProvider.survey(within: limit)
  }

  /// The zones and hours, as kept on this machine.
  var restoredPrivacyRules: PrivacyRulesService {
    get async {
      let rules = await services.privacyRulesService
      await rules.restore()
      return rules
    }
  }

  /// The streets of this machine's archives.
  var streetTiles: StreetTiles {
    get async {
      StreetTiles(folder: await services.folders.streets) { [output] in output.message($0) }
    }
  }

  /// Parses a city, coordinates, or a street of the archives.
  ///
  /// - Throws: `FieldProblem` that says what to type instead.
  func place(
    typed text: String, _ options: PlaceOptions
  ) async throws(FieldProblem) -> Place {
    try await PlaceFinder.world(and: streetTiles)
      .resolveAnywhere(text, completes: options.first)
  }

  /// The person of this name.
  ///
  /// - Throws: `VerbFailure` with `refused` if the caller can see nobody of this name;
  ///   `FieldProblem` for an invalid username.
  func person(named name: String) async throws -> CommunityProfile {
    let username = try Username(name)
    guard let person = try await services.friendsService.findPerson(username: username) else {
      throw VerbFailure(
        .refused, "Nobody is called @\(username).",
        advice: "Search with `rally friends search TEXT`.")
    }
    return person
  }

  func friends() async throws -> [CommunityProfile] {
    let friendsService = await services.friendsService
    return try await Pages.all {
      try await friendsService.fetchFriends(limit: Paging.maximumLimit, offset: $0)
    }
  }

  /// - Throws: As `Sequence.friend`.
  func friend(named name: String) async throws -> CommunityProfile {
    try await friends().friend(named: name) { $0.username }
  }
}

extension Sequence {
  /// The friend of this name, or the row about them; an `@` in front is fine.
  ///
  /// - Throws: `VerbFailure` with `refused` when no friend has this name; `FieldProblem` for an
  ///   invalid username.
  func friend(named name: String, _ usernameOf: (Element) -> String?) throws -> Element {
    let username = try Username(name)
    guard let friend = first(where: { usernameOf($0) == username.value }) else {
      throw VerbFailure(
        .refused, "No friend of yours is called @\(username).",
        advice: "`rally friends list` lists them.")
    }
    return friend
  }
}

/// How verbs take the names of places. A script does not see that a name was completed: `Roman` must
/// not be Romans in France without a word.
struct PlaceOptions: ParsableArguments {
  @Flag(help: "Take the first place whose name begins with what is typed.") var first = false
}

extension CommandSession {
  /// The mission that an argument means.
  ///
  /// If several match, an exact title wins, and then the only open one.
  ///
  /// - Parameter text: An id, or the start of an id or of a title.
  /// - Throws: `VerbFailure` with `refused` if none matches, with `usage` if several do.
  func mission(named text: String) async throws -> Mission {
    let missionsService = await services.missionsService
    if let id = UUID(wireText: text) { return try await missionsService.fetchMission(id) }
    let now = WireTime.now
    let found = MissionSearch.matches(for: text, in: try await allMissions(), at: now)
    guard let first = found.first else {
      throw VerbFailure(
        .refused, "No mission begins with “\(text.cleanedForDisplay)”.",
        advice: "`rally missions list` lists yours.")
    }
    guard found.count == 1 else {
      let names = found.prefix(5).map { "  \($0.shortID)  \($0.title)" }
      throw VerbFailure(
        .usage, "\(found.count) missions begin with “\(text.cleanedForDisplay)”.",
        advice: "Write more of the title, or of the id:\n" + names.joined(separator: "\n"))
    }
    return first
  }

  /// Every mission that I may see: my open ones, past ones, and those of others.
  private func allMissions() async throws -> [Mission] {
    // The whole Earth, from anywhere: where I am is not sent for it.
    let origin = Coordinate(latitude: 0, longitude: 0)
    let missionsService = await services.missionsService
    // One request for all three.
    await services.client.joinReads()
    async let active = missionsService.fetchAllMissions(scope: .active)
    async let done = missionsService.fetchAllMissions(scope: .done)
    async let others = missionsService.fetchAllMissions(
      scope: .nearby, around: origin, radiusMetres: FetchMissions.radii.upperBound)
    var seen: Set<UUID> = []
    return try await (active + done + others).filter { seen.insert($0.id).inserted }
  }

  /// All pages of one list.
  func missions(
    in scope: MissionScope, around centre: Coordinate? = nil, radiusMetres: Double? = nil
  ) async throws -> [Mission] {
    try await services.missionsService.fetchAllMissions(
      scope: scope, around: centre, radiusMetres: radiusMetres)
  }

  /// How exactly my surroundings may be asked about, by my zones and hours; nil for not at all.
  func searchLevel() async -> GridLevel? { await privacyLimit().searchLevel }

  /// The most that may leave of where I am.
  func privacyLimit() async -> PrivacyLimit {
    await restoredPrivacyRules.limit(of: restoredLocationProvider)
  }

  /// My position; nil if it is not known.
  func position() async -> Coordinate? { await fix()?.coordinate }

  func fix() async -> LocationFix? {
    await restoredLocationProvider.fix
  }
}

enum MissionSearch {
  /// The missions that a text matches; more than one if it is ambiguous.
  static func matches(for text: String, in missions: [Mission], at now: WireTime) -> [Mission] {
    let text = text.trimmed
    guard !text.isEmpty else { return [] }
    let byID = missions.filter {
      text.count >= 4 && $0.id.wireText.hasPrefix(text.lowercased())
    }
    if !byID.isEmpty { return byID }
    var found = missions.filter { $0.title.foldedStarts(with: text) }
    func narrow(_ condition: (Mission) -> Bool) {
      let rest = found.filter(condition)
      if found.count > 1, !rest.isEmpty { found = rest }
    }
    narrow { $0.title.folded == text.folded }
    narrow { $0.phase(at: now).isOpen }
    return found
  }
}

extension Mission {
  /// The first eight digits: enough to distinguish one's own missions.
  var shortID: String { String(id.wireText.prefix(8)) }
}
