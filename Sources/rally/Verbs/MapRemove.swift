import ArgumentParser
import RallyCommand
import RallyStreets

struct MapRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove streets from this machine.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "What `rally map list` calls them.") var name: String

  func run() async throws {
    let output = Output(options: global)
    let wanted = try StreetName(typed: name)
    guard try StreetFolder(global).remove(wanted) else { throw VerbFailure.noStreets(wanted) }
    if global.json { return try output.json(["removed": wanted.description]) }
    output.message("Removed \(wanted).")
  }
}

extension VerbFailure {
  static func noStreets(_ name: StreetName) -> VerbFailure {
    VerbFailure(
      .failed, "There are no streets called \(name).", advice: "`rally map list` lists them.")
  }
}
