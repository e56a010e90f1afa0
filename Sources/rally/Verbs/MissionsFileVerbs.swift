import ArgumentParser
import FoundationEssentials
import Glibc
import RallyClient
import RallyCommand
import RallyDomain
import RallySystem
import RallyText
import RallyWire
import RallyWords

struct MissionsImport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Make missions of a GeoJSON or GPX file.",
    discussion: """
      In GeoJSON every feature is a mission: a point with radius_m around it, or the circle around \
      any other geometry. Its properties are \(MissionGeoJSON.properties).

      In GPX all waypoints together are one mission with an objective each, a route is one mission \
      with its points as objectives, and a track is one mission without objectives.

      What is wrong in a file is told by its line and keeps only that mission out. A file that was \
      interrupted can be given again: nothing is made twice.

      With --json: missions (line, title, result, id, problem) and problems (line, sentence); the \
      result is made, refused, or previewed with --dry-run.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The file, at most 5 MB.", completion: .file(extensions: ["geojson", "gpx"]))
  var file: String
  @Flag(help: "Only say what would be made.") var dryRun = false

  func run() async throws {
    let session = try await dryRun ? CommandSession(global) : .signedIn(global)
    let importService = await session.services.importService
    let preview = try await importService.preview(file: file)
    let rows = Rows()
    if dryRun {
      for item in preview.items { await rows.add(ImportRow(item)) }
      try await finish(rows, preview, session.output)
      return
    }
    let output = session.output
    let isJSON = global.json
    do {
      try await importService.run(preview) { outcome in
        let row = ImportRow(outcome)
        await rows.add(row)
        if !isJSON { output.table([row.cells]) }
      }
    } catch {
      if isJSON {
        try output.json(ImportReport(missions: await rows.rows, problems: preview.problems))
      }
      throw error
    }
    try await finish(rows, preview, output)
  }

  private func finish(_ rows: Rows, _ preview: ImportPreview, _ output: Output) async throws {
    let rows = await rows.rows
    if global.json {
      try output.json(ImportReport(missions: rows, problems: preview.problems))
    } else if dryRun {
      output.table(rows.map(\.cells))
    }
    for problem in preview.problems {
      Output.say("\(file):\(problem.line): \(problem.sentence)")
    }
    let refused = rows.count { $0.result == "refused" }
    let made = rows.count - refused
    output.message(
      "\(made.counted("mission")) \(dryRun ? "would be made" : "made").")
    if refused + preview.problems.count > 0 {
      throw VerbFailure(
        .refused, "\(refused + preview.problems.count) could not be made.",
        advice: "Mend these lines and import the file again; nothing is made twice.")
    }
  }

  /// The results so far.
  private actor Rows {
    private(set) var rows: [ImportRow] = []
    func add(_ row: ImportRow) { rows.append(row) }
  }
}

/// The result of importing one mission of a file.
struct ImportRow: JSONRow {
  var line: Int
  var title: String
  /// `previewed`, `made` or `refused`.
  var result: String
  /// The id of the mission; nil until it is created.
  var id: UUID?
  var problem: String?

  init(_ item: ImportPreview.Item) {
    line = item.line
    title = item.call.title
    result = "previewed"
  }

  init(_ outcome: ImportOutcome) {
    self.init(outcome.item)
    switch outcome.result {
    case .made(let mission):
      result = "made"
      id = mission.id
    case .refused(let sentence):
      result = "refused"
      problem = sentence
    }
  }

  var cells: [String] { ["line \(line)", title, problem ?? id?.wireText ?? result] }

  var members: [String: (any Encodable)?] {
    [
      "line": line,
      "title": title,
      "result": result,
      "id": id?.wireText,
      "problem": problem,
    ]
  }
}

/// The preview or the result of an import.
struct ImportReport: Encodable {
  var missions: [ImportRow]
  var problems: [ImportProblem]
}

struct MissionsExport: AsyncParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case geojson, ics
  }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write missions as GeoJSON, or their times as a calendar.",
    discussion: """
      The GeoJSON holds what a mission is and none of the people in it; `rally missions import` \
      makes the same missions of it. Without a list named it is what is active.
      """)

  @OptionGroup var global: GlobalOptions
  @Option(help: "geojson or ics (iCalendar).") var format: Format = .geojson
  @Option(help: "active, nearby or done.") var scope: MissionScope = .active
  @Option(name: .shortAndLong, help: "Write to this file instead of standard output.")
  var output: String?

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let here = scope == .nearby ? await session.position() : nil
    if scope == .nearby, here == nil {
      throw VerbFailure(
        .usage, "Nobody knows where you are.", advice: "Say it with `rally location set PLACE`.")
    }
    let missions = try await session.missions(in: scope, around: here).map(\.record)
    let text =
      switch format {
      case .geojson: try MissionGeoJSON.text(missions)
      case .ics: MissionCalendar(missions, now: .now).text
      }
    guard let output else { return Output.write(text, to: STDOUT_FILENO) }
    try Output.write(text, toFile: output)
    session.output.message(
      "\(missions.count.counted("mission")) written to \(output).")
  }
}

struct MissionsCalendar: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calendar", abstract: "Write your missions as a calendar, or give it an address.",
    discussion: """
      The calendar (iCalendar, RFC 5545) has the missions that you are in or invited to and those \
      that were over last, with their times and places and nobody's name. A mission that repeats is \
      one event with its rule.

      With --address the server makes a private address, at which calendar programs read it: it is \
      shown once, the server keeps only a digest of it, and whoever has it sees what you see of your \
      missions, until --revoke. With --json that is an object with address; of --revoke, one with revoked.
      """)

  @OptionGroup var global: GlobalOptions
  @Option(name: .shortAndLong, help: "Write to this file instead of standard output.")
  var output: String?
  @Flag(help: "Make the private address at which calendar programs read it, and show it.")
  var address = false
  @Flag(help: "End the private address at once.") var revoke = false

  func validate() throws {
    if [address, revoke, output != nil].count(where: { $0 }) > 1 {
      throw ValidationError("--address, --revoke and --output exclude each other.")
    }
  }

  func run() async throws {
    if global.json, !address, !revoke {
      throw VerbFailure(
        .usage, "A calendar is iCalendar, and no JSON.",
        advice: "Leave out --json; `rally missions list --json` has the missions.")
    }
    let session = try await CommandSession.signedIn(global)
    if address { return try await makeAddress(session) }
    if revoke { return try await revokeAddress(session) }
    let missions = try await missions(session)
    let text = MissionCalendar(missions, now: .now).text
    guard let output else { return Output.write(text, to: STDOUT_FILENO) }
    try Output.write(text, toFile: output)
    session.output.message("\(missions.count.counted("mission")) written to \(output).")
  }

  private func missions(_ session: CommandSession) async throws -> [MissionRecord] {
    let missionsService = await session.services.missionsService
    let open = try await missionsService.fetchAllMissions(
      scope: .active, limit: MissionCalendar.openLimit)
    let done = try await missionsService.fetchAllMissions(
      scope: .done, limit: MissionCalendar.doneLimit)
    return (open + done).map(\.record)
  }

  // MARK: - The address

  private func makeAddress(_ session: CommandSession) async throws {
    guard let server = await session.services.server.url else {
      throw VerbFailure(
        .refused,
        "Nobody can reach a calendar on the embedded server: it listens on this machine only.",
        advice: "`rally missions calendar --output FILE` writes one. Or run `rally serve` for your"
          + " group, and sign in there: rally --server ADDRESS.")
    }
    let service = await session.services.calendarService
    if let known = try await service.fetchAddress() {
      throw VerbFailure(
        .refused,
        "Your calendar has an address since \(Age.day(known.createdAt)); it was shown only once.",
        advice: "`rally missions calendar --revoke` ends it; then make another one.")
    }
    let made = CalendarAddress(server: server, secret: .random())
    try await service.makeAddress(made.secret)
    if global.json {
      try session.output.json(AddressRow(address: made.url))
    } else {
      session.output.data(made.url)
    }
    session.output.message(
      "It is shown only this once: add it in your calendar program. Whoever has it sees your missions."
    )
    session.output.message("`rally missions calendar --revoke` ends it.")
    if let warning = made.warning { session.output.message(warning) }
  }

  private func revokeAddress(_ session: CommandSession) async throws {
    let service = await session.services.calendarService
    let known = try await service.fetchAddress()
    try await service.revokeAddress()
    if global.json { return try session.output.json(["revoked": known != nil]) }
    session.output.message(
      known == nil ? OutcomeText.noCalendarAddress : OutcomeText.calendarRevoked)
  }

  private struct AddressRow: Encodable {
    var address: String
  }
}

struct MissionsCard: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "card", abstract: "Print what became of a mission: who did what, when, how far.",
    discussion: """
      The card is text, or with --svg a picture of 640 by 480. It tells what every member sees in \
      the mission, and where nobody is: a distance is from one objective to the next.

      With --json: title, phase, starts_at, ended_at, place, metres, members, other_members and \
      objectives (title, is_done, check_ins, count, by, at, metres).
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The mission.") var mission: String
  @Flag(help: "Write an SVG picture.") var svg = false
  @Option(name: .shortAndLong, help: "Write to this file instead of standard output.")
  var output: String?

  func run() async throws {
    if svg, global.json {
      throw VerbFailure(
        .usage, "A card is either a picture or JSON.", advice: "Leave out --svg or --json.")
    }
    let session = try await CommandSession.signedIn(global)
    let mission = try await session.mission(named: self.mission)
    let place = PlaceFinder.world.nearest(mission.centre)?.name
    let card = MissionCard(mission, place: place, now: .now)
    if global.json { return try session.output.json(card) }
    let text = svg ? card.svg() : card.text() + "\n"
    guard let output else {
      if svg { return Output.write(text, to: STDOUT_FILENO) }
      for line in card.lines() { session.output.data(line) }
      return
    }
    try Output.write(text, toFile: output)
    session.output.message("The card of \(card.title) is in \(output).")
  }
}
