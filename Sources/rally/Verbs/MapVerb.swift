import ArgumentParser
import RallyCommand
import RallyDomain
import RallyStreets
import RallySystem

struct MapVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map", abstract: "Print the map, with your friends on it; add streets.",
    discussion: """
      Streets come from archives of vector tiles (PMTiles or MBTiles) that are added once and then \
      lie on this machine: no server learns where you look.
      """,
    subcommands: [
      MapShow.self, MapAdd.self, MapList.self, MapInfo.self, MapRemove.self,
    ],
    defaultSubcommand: MapShow.self)
}

extension StreetFolder {
  /// The streets of the person who runs this.
  ///
  /// - Throws: `InvalidProfileName`.
  init(_ global: GlobalOptions) throws {
    self.init(path: try RallyFolders(data: global.data, profile: global.profile).streets)
  }
}

extension StreetName {
  /// - Throws: `VerbFailure` for a text that is no name.
  init(typed text: String) throws {
    guard let name = StreetName(text) else {
      throw VerbFailure(
        .usage, "A name is made of 1 to 32 of a-z, 0-9 and -, and does not begin with -.",
        advice: "Type --name lisbon.")
    }
    self = name
  }
}
