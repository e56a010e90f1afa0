import RallyClient
import RallyCommand
import RallyDomain
import RallyStreets
import RallySystem
import RallyText
import RallyWire

extension MapAdd {
  /// Adds the streets around a place, from the group's own server or from the configured source.
  func addCity(_ place: Place, to folder: StreetFolder, _ output: Output) async throws {
    let metres = try radius.map { try RadiusText.parse($0, allowed: Self.radii) }
    let streets = try CityStreets(
      around: place, radius: metres ?? CityStreets.usualRadius,
      name: name.map(StreetName.init(typed:)))
    try requireFree(streets.name, in: folder)
    let setup = try await Setup(global)
    try await requirePolicy(setup)
    let supply = StreetSupply(
      source: setup.configuration.streetSource, server: setup.server,
      allowsPlain: global.insecure, token: await setup.token)
    let leftOut: Int
    if let offer = try await supply.serverOffer(of: streets) {
      output.message("Your group's server offers them.")
      try confirm(offer, there: folder.fetched(of: offer, as: streets.name), output)
      leftOut = try await fetch(offer, to: folder, streets.name, output)
    } else {
      leftOut = try await add(streets, from: supply, to: folder, output)
    }
    try report(streets.name, leftOut: leftOut, in: folder, output)
  }

  private func requirePolicy(_ setup: Setup) async throws {
    guard !anyway else { return }
    let overrides = setup.configuration.policy
    guard let obstacle = await RuntimePolicyCoordinator(overrides: overrides).downloadObstacle
    else { return }
    throw VerbFailure(
      .failed, "\(obstacle) Nothing was fetched.", advice: "Fetch it all the same with --anyway.")
  }

  private func add(
    _ streets: CityStreets, from supply: StreetSupply, to folder: StreetFolder, _ output: Output
  ) async throws -> Int {
    guard supply.source != .none else {
      throw VerbFailure(
        .failed, StreetSourceProblem.none.sentence,
        advice: "Give a file or an address: `rally map add FILE`.")
    }
    if supply.isRemote {
      let announcement = supply.announcement(of: streets)
      if yes { output.message(announcement) }
      try Confirmation(isGiven: yes).require("Go on?", because: announcement)
    }
    do {
      let begun = folder.begunSource(of: streets.name)
      let extract = try await supply.sourceOffer(of: streets, begun: begun)
      let there = folder.fetched(of: extract, as: streets.name)
      // It was agreed to about that much.
      if supply.isRemote, extract.byteCount / 2 > max(streets.estimate, 5_000_000) {
        try confirm(extract, there: there, output)
      } else {
        output.message(extract.sizeSentence(there: there))
      }
      return try await download(extract, of: streets, from: supply, to: folder, output)
    } catch {
      throw supply.translated(error) ?? error
    }
  }

  private func download(
    _ extract: PMTilesExtract, of streets: CityStreets, from supply: StreetSupply,
    to folder: StreetFolder, _ output: Output
  ) async throws -> Int {
    let report = ProgressReport(streets.name.description, output) {
      "\(ByteText($0)) of \(ByteText($1))"
    }
    do {
      return try await untilStopped {
        defer { report.end() }
        return try await supply.add(extract, of: streets, to: folder) {
          output.message("That build was deleted meanwhile. The newest one is taken.")
          output.message($0.sizeSentence(there: 0))
        } progress: {
          report.report($0, of: $1)
        }
      }
    } catch {
      guard folder.fetched(of: extract, as: streets.name) > 0,
        var failure = error as? VerbFailure ?? supply.translated(error), failure.status != .usage
      else { throw error }
      failure.advice = "The same command again goes on from there."
      throw failure
    }
  }
}

extension StreetSupply {
  /// What the network says of the source's host; nil for other errors.
  fileprivate func translated(_ error: any Error) -> VerbFailure? {
    guard let error = error as? NetworkError, let host = source.host,
      var failure = VerbFailure(translating: error)
    else { return nil }
    switch error {
    case .plainText: break
    case .rateLimited: failure.message = "\(host) asks to wait. \(failure.message)"
    default:
      failure.message = "\(host): \(failure.message)"
      failure.advice = "Check the network, or give a file: `rally map add FILE`."
    }
    return failure
  }
}
