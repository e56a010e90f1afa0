import ArgumentParser
import Foundation
import RallyCommand
import RallyWire

/// The program `rally-server`: what `rally serve` becomes, the embedded server and the demo.
///
/// It reads the arguments that were given to `rally`, and speaks of itself by that name.
@main
struct ServerProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rally",
    abstract: "The server of Rally, which `rally serve` starts.",
    version: "rally \(RallyVersion.current)",
    subcommands: [ServeVerb.self, DemoWorldVerb.self])

  /// They may stand before the verb too.
  @OptionGroup var global: GlobalOptions

  @MainActor static func main() async {
    // Files that this program creates are private to their owner.
    umask(0o077)
    do {
      var command = try parseAsRoot()
      guard let verb = command as? any PerformedVerb else { return try command.run() }
      try verb.prepare()
      try await verb.perform()
    } catch {
      Output.finish(with: error, parser: ServerProgram.self)
    }
  }
}
