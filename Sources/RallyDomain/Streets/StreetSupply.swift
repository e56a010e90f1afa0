import FoundationEssentials
import RallyClient
import RallyMap
import RallyStreets
import RallySystem
import RallyText
import RallyWire

extension HTTPByteRanges: ByteRangeSource {}

/// Whom streets are asked of when somebody names a city: the group's own server where it offers the
/// whole area, else the source of the configuration.
public struct StreetSupply: Sendable {
  public let source: StreetSource
  private let server: ServerChoice
  private let allowsPlain: Bool
  private let transport: Transport
  private let token: @Sendable () async throws -> String?

  /// - Parameters:
  ///   - server: The group's own.
  ///   - token: The access token of who is signed in there; nil for nobody.
  ///   - allowsPlain: Whether the source may be asked over http on a public network.
  public init(
    source: StreetSource, server: ServerChoice, allowsPlain: Bool = false,
    transport: Transport = .live, token: @escaping @Sendable () async throws -> String? = { nil }
  ) {
    (self.source, self.server, self.allowsPlain) = (source, server, allowsPlain)
    (self.transport, self.token) = (transport, token)
  }

  /// Whether a stranger is asked.
  public var isRemote: Bool { source.host != nil }

  // MARK: What is said first

  /// How much it is about, from where, and who learns what; for the moment before anybody is asked.
  public func announcement(of streets: CityStreets) -> String {
    let what = "Streets of \(streets.place.title), \(RadiusText.text(streets.radius)) around"
    let size = "about \(ByteText(streets.estimate))"
    guard let host = source.host else { return "\(what): \(size), from \(source.text)." }
    let list = source.listHost.map { ", and \($0) its address" } ?? ""
    return "\(what): \(size) from \(host). It learns this machine's address and that you take"
      + " \(streets.title)\(list)."
  }

  // MARK: Finding

  /// What the group's own server offers of the area; nil unless it is all of it.
  ///
  /// - Throws: `CancellationError`.
  public func serverOffer(of streets: CityStreets) async throws -> PMTilesExtract? {
    guard case .remote(let server, let key, let allowsPlain, _) = server else { return nil }
    let ranges = HTTPByteRanges(
      offeredBy: server, key: key, allowsPlain: allowsPlain, transport: transport,
      token: token)
    do {
      let extract = try await PMTilesExtract(of: ranges, area: streets.area)
      return extract.isComplete ? extract : nil
    } catch let error as CancellationError {
      throw error
    } catch {
      return nil
    }
  }

  /// What the source has of the area.
  ///
  /// - Parameter begun: The place from which a part was fetched before: it is asked first, while it
  ///   is there.
  /// - Throws: `ArchiveError`, `NetworkError`, `RangeProblem`, `TileBuildsProblem`, `FieldProblem`,
  ///   `StreetSourceProblem`, `CancellationError`.
  public func sourceOffer(
    of streets: CityStreets, begun: String? = nil
  ) async throws -> PMTilesExtract {
    switch source {
    case .none: throw StreetSourceProblem.none
    case .file(let path):
      return try await PMTilesExtract(of: try LocalByteRanges(path: path), area: streets.area)
    case .archive(let address):
      return try await PMTilesExtract(of: try ranges(address), area: streets.area)
    case .protomaps, .builds:
      guard let list = try TileBuilds(of: source) else { throw StreetSourceProblem.none }
      let builds = try await list.readable(allowsPlain: allowsPlain, transport: transport)
      var archives = try builds.map { try ranges($0.address) }
      if let index = archives.firstIndex(where: { $0.place == begun }) {
        archives.insert(archives.remove(at: index), at: 0)
      }
      for archive in archives.prefix(Self.mostBuilds) {
        do {
          return try await PMTilesExtract(of: archive, area: streets.area)
        } catch let problem as RangeProblem where problem.isGone {
          continue
        }
      }
      throw TileBuildsProblem.deleted(host: source.host ?? "")
    }
  }

  /// How many builds are tried, where the newer ones are listed but not there.
  private static let mostBuilds = 3

  private func ranges(_ address: String) throws(FieldProblem) -> HTTPByteRanges {
    try HTTPByteRanges(url: address, allowsPlain: allowsPlain, transport: transport)
  }

  // MARK: Bringing

  /// Fetches what is missing of what the source has, and adds it. Where the build is deleted
  /// meanwhile, the newest is taken from its beginning.
  ///
  /// - Parameters:
  ///   - extract: From `sourceOffer`.
  ///   - changed: Called with another extract that is fetched instead.
  ///   - progress: Called with the bytes that are there, and all.
  /// - Returns: How many tiles cannot be read and are left out.
  /// - Throws: As `sourceOffer` and `StreetFolder.add`.
  public func add(
    _ extract: PMTilesExtract, of streets: CityStreets, to folder: StreetFolder,
    changed: @Sendable (PMTilesExtract) -> Void = { _ in },
    progress: @Sendable (UInt64, UInt64) -> Void
  ) async throws -> Int {
    do {
      return try await folder.add(extract, as: streets.name) { progress($0, extract.byteCount) }
    } catch let problem as RangeProblem where problem.isGone {
      guard try TileBuilds(of: source) != nil else { throw problem }
      let newest = try await sourceOffer(of: streets)
      changed(newest)
      return try await folder.add(newest, as: streets.name) { progress($0, newest.byteCount) }
    }
  }
}

/// Why no source is asked.
public enum StreetSourceProblem: ReportableError, Hashable, Sendable {
  /// The configuration names none.
  case none

  public var sentence: String {
    "No source of streets is set ([map] source), and your group's server does not offer these."
  }
}

extension RangeProblem {
  /// Whether the file is not there any more, or is another one.
  fileprivate var isGone: Bool {
    switch self {
    case .missing(404), .missing(410), .changed: true
    default: false
    }
  }
}

extension PMTilesExtract {
  /// `23 tiles, 192 kB to fetch.`
  ///
  /// - Parameter there: Bytes that were fetched before.
  public func sizeSentence(there: UInt64) -> String {
    let known = there > 0 ? ", of which \(ByteText(there)) are there already" : ""
    return "\(tileCount.counted("tile")), \(ByteText(byteCount)) to fetch\(known)."
  }
}

extension ArchiveError: ReportableError {}

/// Where the streets of a city come from when nobody names an archive: the setting `[map] source`.
public enum StreetSource: Hashable, Sendable {
  /// Protomaps' daily build of the planet.
  case protomaps
  /// A list of builds like Protomaps', at an address that ends in `.json`; the archives lie beside
  /// it.
  case builds(String)
  /// A PMTiles file at an address.
  case archive(String)
  /// A file on this machine.
  case file(String)
  /// Nothing is fetched, except what the group's own server offers.
  case none

  /// Parses the setting.
  ///
  /// - Parameter absolute: Resolves the path of a file.
  /// - Throws: `FieldProblem` that says what to write instead.
  public init(
    _ text: String, absolute: (String) -> String = { $0 }
  ) throws(FieldProblem) {
    switch text {
    case "": self = .none
    case "protomaps": self = .protomaps
    default:
      guard text.contains("://") else {
        guard ["/", "~", "."].contains(text.prefix(1)) else {
          throw FieldProblem(
            field: .server,
            advice: "Write \"protomaps\", the address of a PMTiles file or of a list of builds, the"
              + " path of a file, or \"\" for none.")
        }
        self = .file(absolute(text))
        return
      }
      let path = try FileAddress(text).path.prefix { $0 != "?" }
      self = path.hasSuffix(".json") ? .builds(text) : .archive(text)
    }
  }

  /// As the setting is written.
  public var text: String {
    switch self {
    case .protomaps: "protomaps"
    case .builds(let address), .archive(let address): address
    case .file(let path): path
    case .none: ""
    }
  }

  /// The host whose files are fetched; nil for what is asked of nobody.
  public var host: String? {
    switch self {
    case .protomaps: TileBuilds.protomaps.folder.server.host
    case .builds(let address), .archive(let address): (try? FileAddress(address))?.server.host
    case .file, .none: nil
    }
  }

  /// The host that says which files there are, where that is another one.
  public var listHost: String? {
    self == .protomaps ? TileBuilds.protomaps.list.server.host : nil
  }
}

/// The streets around a place, asked for by its name.
public struct CityStreets: Hashable, Sendable {
  public let place: Place
  /// In metres.
  public let radius: Double
  public let area: TileArea
  public let name: StreetName

  /// About the size of a large city, in metres.
  public static let usualRadius = 10_000.0

  /// - Parameter name: What to call them; the place's name if nil.
  /// - Throws: `FieldProblem` where there are no map tiles, or for a place without a name.
  public init(
    around place: Place, radius: Double = usualRadius, name: StreetName? = nil
  ) throws(FieldProblem) {
    let middle = GeoPoint(
      latitude: place.coordinate.latitude, longitude: place.coordinate.longitude)
    guard let area = TileArea(around: middle, radius: radius) else {
      throw FieldProblem(
        field: .place,
        advice: "There are no map tiles around \(place.title). Give a place between 85 degrees"
          + " south and north.")
    }
    guard let name = name ?? place.name.flatMap(StreetName.init(from:)) else {
      throw FieldProblem(field: .place, advice: "The streets need a name. Type --name lisbon.")
    }
    (self.place, self.radius, self.area, self.name) = (place, radius, area, name)
  }

  /// What is said of the place: its name, or what it is called here.
  public var title: String { place.name ?? name.description }

  /// About how many bytes of tiles a city of this size has.
  public var estimate: UInt64 {
    let kilometres = 2 * radius / 1000
    return UInt64(kilometres * kilometres * Self.bytesPerSquareKilometre)
  }

  /// A city of 20 by 24 km takes 23 MB of Protomaps' tiles.
  private static let bytesPerSquareKilometre = 48_000.0
}
