import ArgumentParser
import RallyCommand
import RallyDomain

struct StatusVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Print a line for a status bar: what waits, who is near.",
    discussion: """
      It says what the open interface knows; without one, what the last one knew, and of when that \
      is. Nothing is asked of a server. With --follow it prints a line at each change, until ^C or \
      until nobody reads it any more.

      The format is tmux, waybar or i3bar, a template, or both (tmux:{requests}). In a template \
      {name} is a field and {name?text} is its text where the field is neither empty nor 0; {{ and \
      }} are braces. The fields: \
      \(StatusTemplate.fields.map { "\($0.name) (\($0.summary))" }.joined(separator: ", ")).

      With --json it is an object with username, requests, questions, invitations, friends, near, \
      near_names, live, mission (title, starts_at, ends_at, when), seen, seen_precisely, seen_level, \
      link, policy, as_of, is_current and age; with --follow one object a line.
      """)

  @OptionGroup var global: GlobalOptions
  @Option(help: "Print for tmux, waybar or i3bar, or a template.") var format: String?
  @Flag(help: "Go on with a line at each change.") var follow = false

  func validate() throws {
    if global.json, format != nil {
      throw ValidationError("--json is a format of its own; leave --format.")
    }
  }

  func run() async throws {
    try await StatusRun(global: global, format: format, follows: follow).start()
  }
}
