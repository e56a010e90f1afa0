import ArgumentParser
import RallyClient
import RallyCommand
import RallyDomain
import RallyStreets
import RallySystem
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
}

/// How verbs take the names of places. A script does not see that a name was completed: `Roman` must
/// not be Romans in France without a word.
struct PlaceOptions: ParsableArguments {
  @Flag(help: "Take the first place whose name begins with what is typed.") var first = false
}
