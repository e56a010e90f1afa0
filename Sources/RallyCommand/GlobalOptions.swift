import ArgumentParser
import Foundation

/// The options of every verb, before or after its name.
struct GlobalOptions: ParsableArguments {
  @Option(
    help: "Keep everything (data, state, cache, configuration) under this folder.",
    completion: .directory)
  var data: String?

  @Option(help: "Read this configuration instead of the one in its place.", completion: .file())
  var config: String?

  @Option(help: "Use the account of this name; accounts are kept apart.")
  var profile: String?

  @Option(help: "Talk to this server instead of the embedded one.")
  var server: String?

  @Option(help: "The server's API key (also RALLY_KEY).")
  var key: String?

  @Flag(
    help: "Allow plain http over public networks, where anybody on the way can read passwords.")
  var insecure = false

  @Flag(help: "Print data as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print no messages on standard error, only errors.")
  var quiet = false

  @Option(help: "Use colour: auto, always or never.")
  var color: ColorChoice = .auto

  @Flag(help: "Draw no frames and no marks beyond ASCII; read well by a screen reader.")
  var plain = false

  /// `--plain`, or `RALLY_A11Y=1` to make it permanent.
  var isPlain: Bool { plain || ProcessInfo.processInfo.environment["RALLY_A11Y"] == "1" }
}

enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, always, never
}
