import ArgumentParser
import RallyClient
import RallyCommand
import RallyDomain
import RallySystem
import RallyWire

struct LocationZone: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "zone", abstract: "Hold back your position within a circle.",
    discussion: """
      Within a zone your position does not leave this machine, or with --city only a cell of about \
      10 km. It is decided before anything is sent, and nobody learns of it: what friends saw last \
      stays and ages. The circle is larger than the distance, and its middle is beside the place, so \
      that its edge does not show where that is.
      """,
    subcommands: [ZoneAdd.self, ZoneList.self, ZoneRemove.self, ZoneKeep.self],
    defaultSubcommand: ZoneList.self)
}

struct ZoneAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a zone, or replace the one of this name.")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var places: PlaceOptions
  @Argument(help: "What to call it: letters a-z, digits and dashes.") var name: String
  @Option(parsing: .unconditional, help: "Around this place; where you are if left out.")
  var at: String?
  @Option(help: "How far around it: 50 m to 50 km.") var radius = "300 m"
  @Flag(help: "Share the city, a cell of about 10 km.") var city = false

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let name = try PrivacyRules.checkedName(name)
    let distance = try ZoneRequest.distance(typed: radius)
    let place = try await place(session)
    let store = await session.services.privacyRulesService
    let change = try await store.addZone(
      name, around: place.coordinate, accuracyMetres: place.radiusMetres, distance: distance,
      allows: city ? .city : .nothing)
    let rows = PrivacyZoneRow.rows(await store.kept).filter { $0.zone.name == name }
    if global.json, change.isKept { try session.output.json(rows.first) }
    let what = rows.first?.zone.sentence ?? ""
    try await session.conclude(change, "\(name): \(what) of \(place.title).")
  }

  private func place(_ session: CommandSession) async throws -> Place {
    if let at { return try await session.place(typed: at, places) }
    guard let fix = try await session.measured(within: .seconds(10)).fix else {
      throw VerbFailure(
        .usage, "Nobody knows where you are.",
        advice: "Give --at PLACE, or say it with `rally location set PLACE`.")
    }
    return Place(
      name: fix.placeName, coordinate: fix.coordinate, radiusMetres: fix.accuracyMetres)
  }
}

struct ZoneList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List your zones.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let rows = PrivacyZoneRow.rows(try await session.newestRules())
    try session.list(
      rows, as: \.self, headings: ["zone", "what leaves", "kept on"],
      nothing: "You have no zone. `rally location zone add home` makes one around where you are."
    ) { [$0.zone.name, $0.zone.sentence, $0.isWithAccount ? "account" : "this machine"] }
  }
}

struct ZoneRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a zone; your position is shared from there again.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The zone.") var name: String

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let change = try await session.services.privacyRulesService.removeZone(name)
    try await session.conclude(change, PrivacyChangeText.zoneRemoved(name))
  }
}

struct ZoneKeep: AsyncParsableCommand {
  enum Place: String, EnumerableFlag {
    case withAccount, onThisMachine

    static func help(for value: Place) -> ArgumentHelp? {
      switch value {
      case .withAccount: "They hold for phones too, and on your other machines."
      case .onThisMachine: "They hold for no phone, and the server has none of them."
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "keep", abstract: "Choose where your zones and hours are kept.",
    discussion: """
      A phone sends to the server without asking this machine. Kept with the account, the server \
      applies your zones and hours to what a phone sends, before anything is stored, and your other \
      machines take them. Friends get them from nowhere; who runs the server could read them.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag var place: Place

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let store = await session.services.privacyRulesService
    let change = try await store.keep(withAccount: place == .withAccount)
    try await session.conclude(
      change, PrivacyChangeText.kept(withAccount: place == .withAccount))
  }
}

struct LocationHours: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hours", abstract: "Share your position in certain hours only.",
    discussion: """
      Outside of your hours your position does not leave this machine. With several hours it is \
      shared in any of them, and without hours at all times. Nobody learns of it: what friends saw \
      last stays and ages. The hours follow the clock of the place where the first ones were made.
      """,
    subcommands: [HoursAdd.self, HoursList.self, HoursRemove.self],
    defaultSubcommand: HoursList.self)
}

struct HoursAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add hours, or change those of this name.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "What to call them: letters a-z, digits and dashes.") var name: String
  @Argument(help: "Days and hours: mon-fri 9-18, sat,sun 10:30-12, or 22-6 for every night.")
  var when: [String]

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let hours = try SharingHours(name, typed: when)
    let store = await session.services.privacyRulesService
    let change = try await store.addHours(hours)
    let rows = SharingHoursRow.rows(await store.kept).filter { $0.hours.name == hours.name }
    if global.json, change.isKept { try session.output.json(rows.first) }
    try await session.conclude(
      change, PrivacyChangeText.hoursAdded(hours, timeZone: rows.first?.timeZone))
  }
}

struct HoursList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the hours in which your position is shared.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let rows = SharingHoursRow.rows(try await session.newestRules())
    try session.list(
      rows, as: \.self, headings: ["hours", "when", "time zone", "kept on"],
      nothing: "You have no hours: sharing is not limited to any. `rally location hours add work "
        + "mon-fri 9-18` limits it."
    ) {
      [
        $0.hours.name, $0.hours.sentence, $0.timeZone,
        $0.isWithAccount ? "account" : "this machine",
      ]
    }
  }
}

struct HoursRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove hours; without any, sharing is not limited.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The hours.") var name: String

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let change = try await session.services.privacyRulesService.removeHours(name)
    try await session.conclude(change, PrivacyChangeText.hoursRemoved(name))
  }
}

extension CommandSession {
  /// The rules as this machine and the account have them; those of this machine if the server is
  /// not reached.
  fileprivate func newestRules() async throws -> KeptPrivacyRules {
    let store = await restoredPrivacyRules
    do {
      try await store.fetchAccount()
    } catch {
      output.message("As known on this machine: \(error.sentence)")
    }
    return await store.kept
  }

  /// Brings the server in line with changed rules, and says what holds now.
  ///
  /// - Throws: `VerbFailure` with `failed` for a change that ends with this command, since nothing
  ///   could be written. What the server has in a zone is deleted all the same.
  fileprivate func conclude(
    _ change: PrivacyRulesService.Change, _ sentence: String
  ) async throws {
    if change.isKept {
      output.message(sentence)
      if let warning = change.warning { output.message(warning) }
    }
    var rows: [LocationSharingRecord]?
    do {
      rows = try await publish()
    } catch let error as NetworkError {
      if await services.privacyRulesService.kept.needsWithdrawal {
        throw VerbFailure(
          VerbFailure(translating: error)?.status ?? .failed,
          "The server may still have a position of yours in the zone: \(error.sentence)",
          advice: change.isKept
            ? "`rally` or `rally location zone add` again deletes it once the server is reached."
            : "\(change.warning ?? "") Repeat this once the server is reached.")
      }
    }
    guard change.isKept else {
      throw VerbFailure(
        .failed, "This change ends with this command. \(change.warning ?? "")",
        advice: "\(VerbFailure.lookAtRights) `rally location zone keep --with-account` keeps "
          + "zones and hours on the server instead; then repeat this.")
    }
    if let rows { output.message("Now: \(await sharingSentence(rows)).") }
  }
}

extension PrivacyZoneRow {
  static func rows(_ kept: KeptPrivacyRules) -> [PrivacyZoneRow] {
    kept.parts.flatMap { part in
      part.rules.zones.map { PrivacyZoneRow(zone: $0, isWithAccount: part.isWithAccount) }
    }
  }
}

extension SharingHoursRow {
  static func rows(_ kept: KeptPrivacyRules) -> [SharingHoursRow] {
    kept.parts.flatMap { part in
      part.rules.hours.map {
        SharingHoursRow(
          hours: $0, timeZone: part.rules.timeZone, isWithAccount: part.isWithAccount)
      }
    }
  }
}
