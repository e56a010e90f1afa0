import ArgumentParser
import Glibc
import RallyCommand
import RallyDomain
import RallySystem
import RallyText
import RallyWire

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
    let session = try await CommandSession(global)
    if !dryRun { _ = try await session.requireSession() }
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

extension ImportRow {
  fileprivate var cells: [String] {
    ["line \(line)", title, problem ?? id?.wireText ?? result]
  }
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
    let session = try await CommandSession(global)
    _ = try await session.requireSession()
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
