import ArgumentParser
import FoundationEssentials

/// The options of every verb, before or after its name.
package struct GlobalOptions: ParsableArguments {
  @Option(
    help: "Keep everything (data, state, cache, configuration) under this folder.",
    completion: .directory)
  package var data: String?

  @Option(help: "Read this configuration instead of the one in its place.", completion: .file())
  package var config: String?

  @Option(help: "Use the account of this name; accounts are kept apart.")
  package var profile: String?

  @Option(
    help: ArgumentHelp(
      "Talk to this server instead of the embedded one (also RALLY_SERVER).",
      discussion: """
        Several addresses of one server are separated by commas: the next is tried when one does \
        not answer.
        """))
  package var server: String?

  @Option(help: "The server's API key (also RALLY_KEY).")
  package var key: String?

  @Flag(help: "Allow plain http over public networks, where anybody on the way can read passwords.")
  package var insecure = false

  @Flag(help: "Print data as JSON.")
  package var json = false

  @Flag(name: .shortAndLong, help: "Print no messages on standard error, only errors.")
  package var quiet = false

  @Option(help: "Use colour: auto, always or never.")
  package var color: ColorChoice = .auto

  @Flag(help: "Draw no frames and no marks beyond ASCII; read well by a screen reader.")
  package var plain = false

  /// `--plain`, or `RALLY_A11Y=1` to make it permanent.
  package var isPlain: Bool { plain || ProcessInfo.processInfo.environment["RALLY_A11Y"] == "1" }

  package init() {}
}

package enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, always, never
}
