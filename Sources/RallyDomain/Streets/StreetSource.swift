import RallyClient
import RallyText
import RallyWire

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
