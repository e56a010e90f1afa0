import FoundationEssentials
import RallyClient
import RallySystem
import RallyText
import RallyWire

/// A list of archives of the whole planet, of which the newest that can be read is looked up at
/// every use: old builds are deleted.
///
/// The list is JSON as Protomaps publishes it (docs.protomaps.com/basemaps/downloads): an array of
/// objects with `key`, the archive's file name; `uploaded`, a time; and `version`, of the tileset.
public struct TileBuilds: Sendable {
  let list: FileAddress
  /// The archives' names are relative to it.
  let folder: FileAddress

  /// Protomaps' daily builds.
  static let protomaps = TileBuilds(
    list: FileAddress(
      server: ServerURL(secureHost: "build-metadata.protomaps.dev"), path: "/builds.json"),
    folder: FileAddress(server: ServerURL(secureHost: "build.protomaps.com"), path: "/"))

  private init(list: FileAddress, folder: FileAddress) {
    (self.list, self.folder) = (list, folder)
  }

  /// - Returns: Nil for a source that has no list.
  public init?(of source: StreetSource) throws(FieldProblem) {
    switch source {
    case .protomaps: self = .protomaps
    case .builds(let address):
      let list = try FileAddress(address)
      self.init(list: list, folder: list)
    case .archive, .file, .none: return nil
    }
  }

  /// The version of Protomaps' tileset whose layers the map can draw, by its first number.
  public static let readableVersion = 4

  /// The builds that can be read, the newest first.
  ///
  /// - Returns: At least one.
  /// - Throws: `TileBuildsProblem`, `NetworkError`, `RangeProblem.redirected`, `CancellationError`.
  @concurrent public func readable(
    allowsPlain: Bool = false, transport: Transport = .live
  ) async throws -> [TileBuild] {
    let request = FileRequest(transport: transport, allowsPlain: allowsPlain)
    var address = list
    let answer = try await request.send(to: &address, headers: [], bodyStatus: 200)
    let host = list.server.host
    switch answer.status {
    case 200: break
    case 429: throw NetworkError.rateLimited(retryAfter: ServerAnswers.retryAfter(answer))
    case 500...: throw NetworkError.http(status: answer.status)
    default: throw TileBuildsProblem.noList(host: host)
    }
    guard let entries = try? JSONDecoder().decode([Entry].self, from: answer.body) else {
      throw TileBuildsProblem.noList(host: host)
    }
    let builds = entries.filter(\.isNamed)
    guard !builds.isEmpty else { throw TileBuildsProblem.noList(host: host) }
    let readable = builds.filter { $0.firstVersion == Self.readableVersion }
    guard !readable.isEmpty else {
      let versions = Set(builds.compactMap(\.firstVersion)).sorted()
      throw TileBuildsProblem.noReadableVersion(host: host, versions: versions)
    }
    return readable.sorted(by: >).compactMap { entry in
      (try? folder.redirected(to: entry.key)).map {
        TileBuild(name: entry.key ?? "", address: $0.text)
      }
    }
  }

  private struct Entry: Decodable, Comparable {
    let key: String?
    let uploaded: String?
    let version: String?

    private enum CodingKeys: String, CodingKey { case key, uploaded, version }

    /// A field of another type counts as none: it costs its own entry at most.
    init(from decoder: any Decoder) throws {
      let container = try? decoder.container(keyedBy: CodingKeys.self)
      func text(_ key: CodingKeys) -> String? { try? container?.decode(String.self, forKey: key) }
      (key, uploaded, version) = (text(.key), text(.uploaded), text(.version))
    }

    /// Whether the key is the name of a file, and nothing that leads elsewhere.
    var isNamed: Bool {
      guard let key, key.hasSuffix(".pmtiles"), key.utf8.count <= 128 else { return false }
      return key.utf8.allSatisfy {
        $0.isASCIIAlphanumeric || "-_.".utf8.contains($0)
      } && !key.hasPrefix(".")
    }

    var firstVersion: Int? { version.flatMap { Int($0.prefix { $0 != "." }) } }

    static func < (one: Entry, other: Entry) -> Bool {
      (one.uploaded ?? "", one.key ?? "") < (other.uploaded ?? "", other.key ?? "")
    }
  }
}

/// An archive of the whole planet.
public struct TileBuild: Hashable, Sendable {
  /// `20261003.pmtiles`.
  public let name: String
  public let address: String
}

/// Why a list of builds is of no use.
public enum TileBuildsProblem: ReportableError, Hashable, Sendable {
  /// What the host sent is no list of builds.
  case noList(host: String)
  /// The first numbers of the versions that the list has.
  case noReadableVersion(host: String, versions: [Int])
  /// Each of the newest builds was deleted.
  case deleted(host: String)

  public var sentence: String {
    switch self {
    case .noList(let host): "\(host) sent no list of map builds."
    case .noReadableVersion(let host, let versions):
      "\(host) has no map build that this Rally reads. It reads version "
        + "\(TileBuilds.readableVersion); there is "
        + "\(versions.isEmpty ? "none" : versions.map(String.init).joined(separator: ", "))."
    case .deleted(let host): "\(host) has deleted the map builds that it lists. Try again later."
    }
  }
}
