import ArgumentParser
import FoundationEssentials
import RallyClient
import RallyCommand
import RallyDomain
import RallyMap
import RallyStreets
import RallyText
import RallyWire

struct MapAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add the streets of a city, or those of a file or a web server.",
    discussion: """
      For a city the group's own server is asked first, and where it does not offer the whole area, \
      the source that [map] source names: Protomaps' daily build of OpenStreetMap unless you change \
      it. About how much it is, from where, and who learns what is said before anybody is asked.

      The archive is copied into Rally's data folder, all of it or the area that is asked for. \
      From a web server only the tiles of that area are fetched; how much that is, is said and \
      asked first. What was fetched before an interruption is kept: the same command again goes on.

      Archives are PMTiles (version 3) of vector tiles in the schemas of OpenMapTiles, Protomaps \
      or Shortbread; a file may be MBTiles too.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var places: PlaceOptions
  @Argument(
    help:
      "A city, a PMTiles or MBTiles file, or the http(s) address of a PMTiles file.",
    completion: .file(extensions: ["pmtiles", "mbtiles"])) var source: String?
  @Flag(help: "Take the streets that your server offers.") var fromServer = false
  @Option(help: "What to call it: a-z, 0-9 and -; without it the city's or the file's name.")
  var name: String?
  // Degrees west and south look like a flag.
  @Option(parsing: .unconditional, help: "Only this area: west,south,east,north in degrees.")
  var bbox: String?
  @Option(
    parsing: .unconditional,
    help: "Only the area around a city, or around latitude,longitude in degrees.")
  var around: String?
  @Option(
    help: "How far around: 500m, 20km; 10 km for a city, 20 km where only --around is given.")
  var radius: String?
  @Flag(help: "Do not ask before a download.") var yes = false
  @Flag(help: "Fetch a city also where the policy says to save data.") var anyway = false

  func validate() throws {
    guard source != nil || fromServer else {
      throw ValidationError("Give a city, a file or an address, or --from-server.")
    }
    guard source == nil || !fromServer || isPlace else {
      throw ValidationError("Give a file or an address, or --from-server, not both.")
    }
  }

  func run() async throws {
    let output = Output(options: global)
    let folder = try StreetFolder(global)
    if let source, isPlace, around != nil || bbox != nil {
      throw VerbFailure(
        .usage, "The area is given twice.",
        advice: "\(source.cleanedForDisplay) is not a file; it says the area as --around does.")
    }
    let typed = around ?? (isPlace ? source : nil)
    let place = try typed.map { try PlaceFinder.world.resolve($0, completes: places.first) }
    if let place, isPlace, !fromServer { return try await addCity(place, to: folder, output) }
    let area = try area(around: place)
    let name = try chosenName(place)
    try requireFree(name, in: folder)
    let leftOut =
      if let tables = try localTables {
        try await copy(tables, area, to: folder, name, output)
      } else { try await fetch(area, to: folder, name, output) }
    try report(name, leftOut: leftOut, in: folder, output)
  }

  func requireFree(_ name: StreetName, in folder: StreetFolder) throws {
    guard folder.names.contains(name) else { return }
    throw VerbFailure(
      .failed, "There are streets called \(name) already.",
      advice: "Remove them with `rally map remove \(name)`, or give another --name.")
  }

  func report(
    _ name: StreetName, leftOut: Int, in folder: StreetFolder, _ output: Output
  ) throws {
    guard let entry = folder.entries().first(where: { $0.name == name }) else { return }
    let row = StreetRow(entry, in: folder)
    if leftOut > 0 {
      output.message("Left out \(leftOut.counted("tile")) that cannot be read.")
    }
    if global.json { return try output.json(row) }
    let tiles = row.info?.tileCount.map { "\($0.counted("tile")), " } ?? ""
    output.message("Added \(name): \(tiles)\(ByteText(entry.byteCount)).")
    if let attribution = row.info?.attribution { output.message("Map data: \(attribution).") }
  }

  // MARK: What is asked for

  /// Whether the argument is the name of a place: no address, and nothing that looks like a file or
  /// is one.
  private var isPlace: Bool {
    guard let source, !source.contains("://"), !source.contains("/") else { return false }
    let name = source.lowercased()
    guard !name.hasSuffix(".pmtiles"), !name.hasSuffix(".mbtiles") else { return false }
    var isFolder = false
    return !FileManager.default.fileExists(atPath: source, isDirectory: &isFolder) || isFolder
  }

  private var isRemote: Bool { fromServer || source?.contains("://") == true }

  /// The source, if it is an MBTiles file; another one is checked to be an archive.
  private var localTables: MBTilesArchive? {
    get throws {
      guard let source, !isRemote else { return nil }
      return try TileArchives.open(source) as? MBTilesArchive
    }
  }

  private func ranges() async throws -> any ByteRangeSource {
    guard let source, !fromServer else { return try await offeredRanges() }
    return isRemote
      ? try HTTPByteRanges(url: source, allowsPlain: global.insecure)
      : try LocalByteRanges(path: source)
  }

  private func offeredRanges() async throws -> any ByteRangeSource {
    let setup = try await Setup(global)
    guard case .remote(let server, let key, let allowsPlain, _) = setup.server else {
      throw VerbFailure(
        .usage, "The embedded server offers no streets.",
        advice: "Give a file or an address: `rally map add FILE`.")
    }
    return HTTPByteRanges(
      offeredBy: server, key: key, allowsPlain: allowsPlain, token: await setup.token)
  }

  private func area(around place: Place?) throws -> TileArea? {
    if bbox != nil, around != nil {
      throw VerbFailure(
        .usage, "The area is given twice.", advice: "Give --bbox, or --around and --radius.")
    }
    guard let place else {
      guard radius == nil else {
        throw VerbFailure(
          .usage, "A radius needs a middle.", advice: "Type --around Lisbon --radius 20km.")
      }
      return try bbox.map(Self.area)
    }
    let metres = try RadiusText.parse(radius ?? "20km", allowed: Self.radii)
    guard let area = TileArea(around: GeoPoint(place.coordinate), radius: metres) else {
      throw VerbFailure(
        .usage, "There are no map tiles around \(place.title).",
        advice: "Give a place between 85 degrees south and north.")
    }
    return area
  }

  /// In metres.
  static let radii = 100.0...1_000_000

  private static func area(typed text: String) throws -> TileArea {
    guard let area = TileArea(typed: text) else {
      throw VerbFailure(
        .usage, "An area is west,south,east,north in degrees.",
        advice: "Type --bbox -9.3,38.6,-9.0,38.9.")
    }
    return area
  }

  private func chosenName(_ place: Place?) throws -> StreetName {
    if let name { return try StreetName(typed: name) }
    let source = fromServer ? StreetsOffer.path : source ?? ""
    let path = source.prefix { $0 != "?" && $0 != "#" }
    let stem = (isRemote ? path : source[...]).fileStem
    guard let name = place?.name.flatMap(StreetName.init(from:)) ?? StreetName(from: stem) else {
      throw VerbFailure(.usage, "The streets need a name.", advice: "Type --name lisbon.")
    }
    return name
  }

  // MARK: Bringing it here

  private func copy(
    _ tables: MBTilesArchive, _ area: TileArea?, to folder: StreetFolder, _ name: StreetName,
    _ output: Output
  ) async throws -> Int {
    let report = ProgressReport(name.description, output) { "\($0) of \($1) tiles" }
    return try await untilStopped {
      defer { report.end() }
      return try folder.add(tables, area: area, as: name) {
        report.report(UInt64($0), of: UInt64($1))
      }
    }
  }

  private func fetch(
    _ area: TileArea?, to folder: StreetFolder, _ name: StreetName, _ output: Output
  ) async throws -> Int {
    let extract = try await found(area)
    if isRemote { try confirm(extract, there: folder.fetched(of: extract, as: name), output) }
    return try await fetch(extract, to: folder, name, output)
  }

  private func found(_ area: TileArea?) async throws -> PMTilesExtract {
    let ranges = try await ranges()
    do {
      return try await PMTilesExtract(of: ranges, area: area)
    } catch RangeProblem.missing(401) where fromServer {
      throw VerbFailure(
        .refused, "The server gives its streets to members alone.",
        advice: "Sign in first: `rally login`. The API key is the one that `rally serve` prints.")
    } catch RangeProblem.missing(404) where fromServer {
      throw VerbFailure(
        .refused, "Your server offers no streets.",
        advice: "Its operator can: `rally serve --streets FILE`.")
    } catch NetworkError.plainText(let host) {
      throw VerbFailure(
        .usage, "Without TLS anybody on the way to \(host) can see and change what is fetched.",
        advice: "Give an address of https, or --insecure if you accept that.")
    }
  }

  func fetch(
    _ extract: PMTilesExtract, to folder: StreetFolder, _ name: StreetName, _ output: Output
  ) async throws -> Int {
    let total = extract.byteCount
    let report = ProgressReport(name.description, output) { "\(ByteText($0)) of \(ByteText($1))" }
    do {
      return try await untilStopped {
        defer { report.end() }
        return try await folder.add(extract, as: name) { report.report($0, of: total) }
      }
    } catch {
      guard folder.fetched(of: extract, as: name) > 0, var failure = VerbFailure(stopped: error)
      else { throw error }
      failure.advice = "The same command again goes on from there."
      throw failure
    }
  }

  func confirm(_ extract: PMTilesExtract, there: UInt64, _ output: Output) throws {
    let size = extract.sizeSentence(there: there)
    if yes { return output.message(size) }
    try Confirmation(isGiven: false).require("Fetch it?", because: size)
  }

  /// Runs the work; ^C and other signals to end cancel it.
  func untilStopped(
    _ work: @escaping @Sendable () async throws -> Int
  ) async throws -> Int {
    let task = Task { try await work() }
    let signals = EndSignals { task.cancel() }
    defer { signals.cancel() }
    do {
      return try await task.value
    } catch is CancellationError {
      throw VerbFailure(.failed, "Stopped.")
    }
  }
}

extension VerbFailure {
  /// An error in the middle of a download after which it can go on.
  fileprivate init?(stopped error: any Error) {
    if let failure = error as? VerbFailure {
      self = failure
    } else if error is NetworkError {
      self.init(translating: error)
    } else {
      return nil
    }
  }
}
