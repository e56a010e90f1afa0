import ArgumentParser
import RallyCommand
import RallyDomain
import RallySystem
import RallyWire
import RallyWords

struct FriendsLocate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locate", abstract: "Ask a friend where they are, or print it.",
    discussion: """
      Prints what `rally where NAME` prints if the friend shows you a position of the last 15 \
      minutes; otherwise it prints the older one, if there is one, and asks. The friend answers with a \
      share, or not at all, and you are told nothing but the share. Within ten minutes a second \
      question to the same friend changes nothing.

      With --wait it waits for the next position and prints that; without one in time it fails \
      with 1.
      """)

  /// A younger position is printed without asking.
  static let youngEnough = Duration.seconds(900)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The friend's username.") var username: String
  @Option(help: "Wait this long for the answer: 30s, 2m or 1h.") var wait: String?

  func run() async throws {
    let patience = try wait.map(Self.patience)
    let session = try await CommandSession.signedIn(global)
    let friend = try await session.friend(named: username)
    let known = try await session.whereRows(of: [friend])
    if let row = known.first, row.now.since(row.position.latestTime) < Self.youngEnough {
      return try print(known, session.output)
    }
    try await session.services.friendsService.askLocation(of: friend.id)
    session.output.message(OutcomeText.askedWhere(friend.handle))
    guard let patience else { return try print(known, session.output) }
    let shown = known.first?.position
    let next = try await session.services.locationsRealtimeService.nextPosition(
      of: friend.id, within: patience
    ) {
      let row = try await session.whereRows(of: [friend]).first
      return row?.position == shown ? nil : row
    }
    guard let row = next else {
      throw VerbFailure(
        .failed, "\(friend.handle) did not show you a new position within \(wait ?? "that time").",
        advice: "`rally where \(friend.username)` prints it once they do.")
    }
    try print([row], session.output)
  }

  private static func patience(typed text: String) throws -> Duration {
    if text.hasSuffix("s"), let seconds = Int(text.dropLast()), (1...3600).contains(seconds) {
      return .seconds(seconds)
    }
    return try ShareTime.duration(typed: text)
  }

  private func print(_ rows: [WhereRow], _ output: Output) throws {
    if global.json { return try output.json(rows) }
    output.table(rows.map(\.cells), headings: WhereRow.headings)
  }
}

struct FriendsAsks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "asks", abstract: "List who asks where you are, and whom you asked.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let asks = try await session.services.friendsService.fetchLocationAsks()
    let now = WireTime.now
    try session.list(
      asks, as: LocationAskRow.init, headings: ["", "name", "username", "asked"],
      nothing: "No open questions."
    ) { ask in
      [
        ask.direction == .incoming ? "from" : "to", ask.displayName, "@\(ask.username)",
        Age.sentence(ask.askedAt, at: now),
      ]
    }
  }
}

struct FriendsAnswer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "answer", abstract: "Show a friend who asked where you are, or dismiss it.",
    discussion: """
      Without --mode and --for a friend who sees something of you already sees no more than before; \
      another one sees for an hour what everybody sees, and about 1 km where that is nothing or \
      finer. Whoever asked is not told of a dismissal.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The friend's username.") var username: String
  @Option(help: "What they see: city (10km), area (1km) or precise.") var mode: String?
  @Option(name: .customLong("for"), help: "For how long: 45m, 2h or 1d.") var duration: String?
  @Flag(help: "Give no answer; the question ends.") var dismiss = false
  @Flag(help: "Do not ask for confirmation, even where that ends your ghost.") var yes = false

  func validate() throws {
    if dismiss, mode != nil || duration != nil {
      throw ValidationError("--dismiss shares nothing: leave --mode and --for.")
    }
  }

  func run() async throws {
    let mode = try mode.map { try SharingMode(typed: $0) }
    guard mode != .off else {
      throw VerbFailure(.usage, "An answer shows something.", advice: "Use --dismiss.")
    }
    let duration = try duration.map(ShareTime.duration(typed:))
    let session = try await CommandSession.signedIn(global)
    let service = await session.services.friendsService
    let friend = try await session.friend(named: username)
    let asks = try await service.fetchLocationAsks()
    guard asks.contains(where: { $0.userID == friend.id && $0.direction == .incoming }) else {
      throw VerbFailure(
        .refused, "\(friend.handle) does not ask where you are.",
        advice: "`rally location share` shows somebody who does not ask.")
    }
    if dismiss {
      try await service.closeLocationAsk(of: friend.id)
      session.output.message(OutcomeText.dismissed(friend.handle))
      return
    }
    try await answer(friend, mode: mode, for: duration, in: session)
  }

  private func answer(
    _ friend: CommunityProfile, mode: SharingMode?, for duration: Duration?,
    in session: CommandSession
  ) async throws {
    let services = session.services
    let now = WireTime.now
    let before = try await services.locationsService.fetchLocationSharing()
    let sharing = SharingTable(before)
    var setting = LocationAnswer.setting(for: friend.id, sharing: sharing, at: now)
    if mode != nil || duration != nil {
      let seen = sharing.mode(for: friend.id, at: now)
      setting = SharingSetting(
        mode ?? setting?.mode ?? seen, until: now.advanced(by: duration ?? LocationAnswer.duration))
    }
    if let setting {
      let ghost = await services.ghostService.phase(by: before)
      if let ghost {
        try Confirmation(isGiven: yes).require(toEnd: ghost, sharingWith: friend.handle)
      }
      try await services.locationsService.setLocationSharing(
        userID: friend.id, mode: setting.mode, until: setting.until,
        endsGhost: ghost == nil ? nil : true)
    }
    try await services.friendsService.closeLocationAsk(of: friend.id)
    let rows = try await session.publish()
    let row = rows.first { $0.userID == friend.id }
    if global.json { try session.output.json(row.map(SharingSettingRow.init)) }
    let seen = row?.mode ?? .off
    let sees = SeenText.sentence(
      friend.handle, sees: seen.title, in: seen,
      end: row?.until.map { " until \($0.localTime)" } ?? "",
      isPlaceKnown: await session.isPlaceKnown(rows))
    session.output.message("\(sees).")
    let provider = await services.currentLocationProvider
    if let note = await services.privacyRulesService.note(of: provider) {
      session.output.message(LocationAnswer.caveat(note))
    }
    if row?.location == nil, await provider.fix == nil {
      session.output.message(
        "Where you are is not known: `rally location set PLACE` says it.")
    }
  }
}
