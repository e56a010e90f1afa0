import ArgumentParser
import RallyClient
import RallyCommand
import RallyDomain
import RallySystem
import RallyText
import RallyWire
import RallyWords

struct LocationVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "location", abstract: "Say where you are, and decide who sees it.",
    subcommands: [
      LocationShow.self, LocationSet.self, LocationShare.self, LocationGhost.self,
      LocationLink.self, LocationZone.self, LocationHours.self, LocationPhone.self,
      LocationReplay.self,
    ],
    defaultSubcommand: LocationShow.self)
}

struct LocationShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show where you are, and who sees what of it.")

  @OptionGroup var global: GlobalOptions
  @Option(name: .customLong("as"), help: "Show exactly what this friend sees.")
  var reader: String?
  @Flag(help: "With --as: say which rule withholds your position from that person.")
  var explain = false

  func validate() throws {
    if explain, reader == nil { throw ValidationError("--explain needs --as NAME.") }
  }

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    if explain, let reader { return try await session.explainPosition(to: Username(reader)) }
    let rows = try await session.services.locationsService.fetchLocationSharing()
    let links = try await session.services.watchService.fetchLinks()
    if let reader { return try show(rows, as: reader, session.output) }
    let provider = await session.restoredLocationProvider
    let here = await provider.fix
    let ghost = await session.services.ghostService.phase(by: rows)
    let privacy = await session.restoredPrivacyRules
    if global.json {
      let held = HeldBackRow(await privacy.limit(of: provider))
      return try session.output.json(
        SharingReport(here: here, ghost: ghost, heldBack: held, rows: rows, links: links))
    }
    session.output.data(
      "here: "
        + (here.map { fix in
          "\(fix.placeName ?? fix.coordinate.description), "
            + "said \(Age.sentence(fix.recordedAt, at: .now))"
        } ?? "not known"))
    session.output.table(
      rows.map { $0.cells(isGhost: rows.isGhost) }, headings: ["friend", "sees", ""])
    session.output.message(await session.sharingSentence(rows))
    if let link = WatchText.sentence(links, at: .now) {
      session.output.message("\(link) shows you to whoever has its address.")
    }
    if let held = await privacy.sentence(of: provider) {
      session.output.message("You are \(held).")
    }
    if here == nil { session.output.message("`rally location set PLACE` says where you are.") }
  }

  private func show(
    _ rows: [LocationSharingRecord], as reader: String, _ output: Output
  ) throws {
    let row = try rows.friend(named: reader) { $0.username }
    if global.json { return try output.json(row.location.map(SeenRow.init)) }
    guard let seen = row.location else {
      output.message("@\(row.username ?? reader) sees nothing of you.")
      return
    }
    output.table([seen.cells(at: .now)])
  }
}

extension LocationRecord {
  /// Where, how precisely, and since when.
  func cells(at now: WireTime) -> [String] {
    [
      coordinate?.description ?? "", precision.title,
      precision == .precise
        ? Age.sentence(recordedAt, at: now)
        : Age.within(quarter: recordedAt, at: now)
          ?? "since \(Age.sentence(recordedAt.advanced(by: .quarterHour), at: now))",
    ]
  }
}

struct LocationSet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Say where you are.",
    discussion: """
      Without --for it holds until gpsd or GeoClue measures that you have moved since. The \
      word auto in place of a place ends it: what is measured counts again.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var places: PlaceOptions
  // A southern latitude looks like a flag, and names may have several words.
  @Argument(
    parsing: .allUnrecognized,
    help: "A city (Lisbon; San Jose, Costa Rica), a street, or latitude,longitude in degrees.")
  var place: [String]
  @Option(name: .customLong("for"), help: "For how long it holds: 45m, 2h or 1d.")
  var duration: String?

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let provider = await session.services.currentLocationProvider
    if place == ["auto"] {
      await provider.restore()
      try await provider.endManual()
      session.output.message("What is measured says where you are again.")
      return
    }
    let until = try duration.map { WireTime.now.advanced(by: try ShareTime.duration(typed: $0)) }
    let place = try await session.place(
      typed: self.place.joined(separator: " "), places)
    try await provider.setManual(
      place.coordinate, accuracyMetres: place.radiusMetres, placeName: place.ownName, until: until)
    let rows = try await session.publish(isChosen: true)
    if global.json { try session.output.json(await provider.fix.map(HereRow.init)) }
    session.output.message(
      "You are at \(place.title)\(until.map { " until \($0.localTime)" } ?? ""), "
        + "\(await session.sharingSentence(rows)).")
  }
}

struct LocationShare: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "share", abstract: "Decide how much of your position somebody sees.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "off, city (10km), area (1km) or precise.") var mode: String
  @Argument(help: "The friend; everybody without a decision of their own if left out.")
  var username: String?
  @Option(name: .customLong("for"), help: "How long or until when: 45m, 2h, 21:00 or tonight.")
  var end: String?
  @Flag(help: "Do not ask for confirmation, even where that ends your ghost.") var yes = false

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let mode = try SharingMode(typed: mode)
    let until = try end.flatMap { try ShareEnds(now: .now).end(typed: $0) }
    let services = session.services
    let friend: CommunityProfile? =
      if let username { try await session.friend(named: username) } else { nil }
    let wasGhost = mode > .off ? try await session.ghostPhase() : nil
    if let wasGhost {
      try Confirmation(isGiven: yes).require(
        toEnd: wasGhost, sharingWith: friend?.handle ?? "everybody else")
    }
    try await services.locationsService.setLocationSharing(
      userID: friend?.id, mode: mode, until: until, endsGhost: wasGhost == nil ? nil : true)
    let rows = try await session.publish()
    if global.json {
      try session.output.json(
        rows.first { $0.userID == friend?.id }.map(SharingSettingRow.init))
    }
    let sentence = await session.sharingSentence(rows)
    if wasGhost != nil { session.output.message("You are no longer a ghost.") }
    let sees = SeenText.sentence(
      friend?.handle ?? "Everybody else", sees: mode.title, in: mode,
      end: until.map { " until \($0.localTime)" } ?? "",
      isPlaceKnown: await session.isPlaceKnown(rows))
    session.output.message("\(sees): \(sentence).")
  }
}

extension Confirmation {
  /// Asks before sharing ends a ghost, since all else that was shared is off then.
  ///
  /// - Throws: `VerbFailure` while the ghost is pending, or unless the answer is yes.
  func require(toEnd phase: GhostPhase, sharingWith name: String) throws {
    guard phase == .gone else {
      throw VerbFailure(
        .refused, "You are becoming a ghost, and the server was not reached yet.",
        advice: "`rally location ghost off` takes that back; then share.")
    }
    try require(
      "Share with \(name) and stop being a ghost?",
      because: "You are a ghost. What else you shared is off then; "
        + "`rally location ghost off` gives all of it back instead.")
  }
}

struct LocationGhost: AsyncParsableCommand {
  enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  static let configuration = CommandConfiguration(
    commandName: "ghost", abstract: "Be seen by nobody, or give back what was shared before.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "on or off.") var state: Switch

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let ghostService = await session.services.ghostService
    switch state {
    case .on:
      // The server is asked whether or not the request can be kept here.
      var unwritten: (any Error)?
      do { try await ghostService.begin() } catch { unwritten = error }
      let rows: [LocationSharingRecord]
      do {
        rows = try await ghostService.complete()
      } catch let error as NetworkError {
        throw VerbFailure(
          VerbFailure(translating: error)?.status ?? .failed,
          "You are not a ghost\(unwritten == nil ? " yet" : ""): \(error.commandLineSentence)",
          advice: unwritten.map {
            "Friends may still see you, and it is not kept here either (\($0.sentence)). "
              + "Repeat it once the server can be reached."
          } ?? "Friends may still see you until `rally` or `rally location` reaches the server.")
      }
      session.output.message(
        rows.isGhost
          ? "You are a ghost: nobody sees you, and your last position is deleted."
          : GhostService.withoutServer)
    case .off:
      // Without an answer the ghost is ended, which then says what fails.
      let before = try? await session.services.locationsService.fetchLocationSharing()
      let isPending = await ghostService.isPending()
      guard isPending || before?.isGhost ?? true else {
        session.output.message("You are not a ghost.")
        return
      }
      try await ghostService.end()
      let rows = try await session.publish()
      session.output.message(
        "You are no longer a ghost: \(await session.sharingSentence(rows)).")
    }
  }
}

extension CommandSession {
  /// Finishes a ghost that is pending, and deletes the position that the server has if a zone was
  /// made around it. Sends my position if somebody may see it and the server does not have it yet.
  ///
  /// - Parameter isChosen: Whether the person has just said where they are.
  /// - Returns: The default and each friend's sharing.
  /// - Throws: `NetworkError`; `PositionProblem` for what was just said and does not count.
  func publish(isChosen: Bool = false) async throws -> [LocationSharingRecord] {
    let services = services
    if await services.ghostService.isPending() { return try await services.ghostService.complete() }
    let provider = await restoredLocationProvider
    let privacy = await restoredPrivacyRules
    try await privacy.fetchAccount()
    let epoch = await privacy.epoch
    var rows = try await services.locationsService.fetchLocationSharing()
    if await SharingTable(rows).isWithdrawalDue(by: privacy) {
      try await services.locationsService.withdrawLocation()
      rows = try await services.locationsService.fetchLocationSharing()
    }
    await privacy.withdrawalDone(at: epoch)
    guard !rows.isGhost, let fix = await provider.fix else { return rows }
    let table = SharingTable(rows)
    let limit = await privacy.limit(of: provider)
    if isChosen, let problem = table.problem(of: fix, within: limit, at: .now) { throw problem }
    if let report = table.report(of: fix, within: limit, at: .now) {
      let outcome = try await services.locationsService.publishLocations([report])
      if outcome == .outdated, isChosen { throw PositionProblem.outdated }
    }
    return rows
  }

  /// Whether this machine or the server has a position of mine.
  func isPlaceKnown(_ rows: [LocationSharingRecord]) async -> Bool {
    if SharingTable(rows).mostExactLocation != nil { return true }
    return await restoredLocationProvider.fix != nil
  }

  /// How far I am as a ghost; the server is asked unless that is pending.
  func ghostPhase() async throws -> GhostPhase? {
    if await services.ghostService.isPending() { return .pending }
    return try await services.locationsService.fetchLocationSharing().isGhost ? .gone : nil
  }

  /// How many friends see where I am, and what is held back.
  func sharingSentence(_ rows: [LocationSharingRecord]) async -> String {
    let (services, provider) = (services, await restoredLocationProvider)
    let privacy = await restoredPrivacyRules
    return SharingTable(rows).summary(at: .now, ghost: await services.ghostService.phase(by: rows))
      .sentence(heldBack: await privacy.note(of: provider))
  }
}

extension LocationSharingRecord {
  /// The columns: person, mode, end, and whether the default decides; of a ghost what would be seen
  /// otherwise.
  fileprivate func cells(isGhost: Bool) -> [String] {
    let name = username.map { "@\($0)".cleanedForDisplay } ?? "everybody else"
    let end = until.map { "until \($0.localTime)" }
    let origin = userID != nil && isDefault && isFriend != false ? "as everybody else" : nil
    let way = wayUntil.map { "precise on your way until \($0.localTime)" }
    let details = [end, origin, way].compactMap(\.self)
    guard isGhost, mode > .off else {
      return [name, mode.title, details.joined(separator: ", ")]
    }
    return [
      name, SharingMode.off.title,
      (["\(mode.title) once you are back"] + details).joined(separator: ", "),
    ]
  }
}

extension WireTime {
  /// The time in this machine's zone: `18:30`, `tomorrow 18:30` or `2026-12-01 18:30`.
  var localTime: String { WhenText(timeZone: .current, now: .now).words(of: self) }
}
