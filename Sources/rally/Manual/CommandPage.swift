import ArgumentParser
import FoundationEssentials
import RallyCommand

/// `rally(1)`, generated from the command tree.
struct CommandPage {
  let tree: CommandTree

  var text: String {
    let root = tree.command
    var page = ManualPage("rally", section: 1)
    page.heading("NAME")
    page.text("rally - your friends, on a map, in a terminal")
    page.heading("SYNOPSIS")
    page.text("rally [OPTION]...")
    page.lineBreak()
    page.text("rally VERB [OPTION]...")
    page.heading("DESCRIPTION")
    page.text(
      "Without a verb rally starts its interface; its keys are listed in rally-keys(7). Every verb "
        + "prints data on standard output and messages on standard error.")
    page.heading("OPTIONS")
    page.text("These options work with every command.")
    for argument in root.shownArguments { entry(argument, in: &page) }
    page.heading("VERBS")
    let known = Set(root.shownArguments.map(\.term))
    for verb in root.shownSubcommands { describe(verb, path: "rally", known, in: &page) }
    page.heading("EXIT STATUS")
    for (status, meaning) in Self.statuses { page.entry("\(status)", meaning) }
    page.heading("ENVIRONMENT")
    for (name, meaning) in Self.variables { page.entry(name, meaning) }
    page.heading("FILES")
    page.entry("$XDG_CONFIG_HOME/rally/config.toml", "The configuration: rally-config(5).")
    page.entry("$XDG_DATA_HOME/rally", "What the embedded server keeps.")
    page.entry("$XDG_STATE_HOME/rally", "Sessions and logs, each account in a folder of its own.")
    page.entry("$XDG_CACHE_HOME/rally", "What can be fetched again.")
    page.heading("SEE ALSO")
    page.text("rally-config(5), rally-keys(7)")
    return page.text
  }

  private func describe(
    _ verb: CommandTree.Command, path: String, _ known: Set<String>, in page: inout ManualPage
  ) {
    let path = "\(path) \(verb.commandName)"
    let arguments = verb.shownArguments.filter { !known.contains($0.term) }
    page.subheading(([path] + arguments.map(\.usage)).joined(separator: " "))
    if let abstract = verb.abstract { page.text(abstract) }
    for paragraph in (verb.discussion ?? "").split(separator: "\n\n") {
      page.paragraph(String(paragraph))
    }
    for argument in arguments { entry(argument, in: &page) }
    for verb in verb.shownSubcommands { describe(verb, path: path, known, in: &page) }
  }

  private func entry(_ argument: CommandTree.Argument, in page: inout ManualPage) {
    page.entry(argument.term, argument.abstract ?? "")
  }

  private static let statuses: [(Int, String)] = [
    (0, "Done."), (1, "It failed."), (2, "The arguments are wrong."), (3, "Nobody is signed in."),
    (4, "The server is not reached."), (5, "The server refused."),
    (6, "The terminal is too small."),
  ]

  private static let variables: [(String, String)] = [
    ("RALLY_SERVER, RALLY_KEY", "The server and its API key, as --server and --key."),
    (
      "RALLY_TLS_CERTIFICATE, RALLY_TLS_KEY",
      "The files of rally serve, as --tls-certificate and --tls-key."
    ),
    ("RALLY_GPSD", "Where gpsd listens, as [location] gpsd; the empty text is off."),
    ("RALLY_GEOCLUE", "Whether GeoClue is asked, as [location] geoclue: auto, on or off."),
    (
      "SSL_CERT_FILE",
      "A file of certificates to trust beside those of this machine, such as your own authority's."
    ),
    ("RALLY_A11Y", "1 draws for a screen reader, as --plain."),
    ("NO_COLOR", "Anything but the empty text: no colours."),
    ("VISUAL, EDITOR", "What rally config edit opens the configuration with."),
  ]
}

/// The verbs and options of the program, as the argument parser describes them.
struct CommandTree: Decodable {
  struct Command: Decodable {
    var commandName: String
    var abstract: String?
    var discussion: String?
    var shouldDisplay: Bool?
    var subcommands: [Command]?
    var arguments: [Argument]?

    /// The subcommands to document: all but hidden ones and `help`.
    var shownSubcommands: [Command] {
      (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }

    var shownArguments: [Argument] { (arguments ?? []).filter { $0.shouldDisplay != false } }
  }

  struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String

      var typed: String { kind == "long" ? "--\(name)" : "-\(name)" }
    }

    var kind: String
    var names: [Name]?
    var valueName: String?
    var shouldDisplay: Bool?
    var isOptional: Bool?
    var isRepeating: Bool?
    var abstract: String?

    /// `-q, --quiet`, `--size <size>`, `<username>`.
    var term: String {
      let names = (names ?? []).sorted { $0.kind > $1.kind }.map(\.typed).joined(separator: ", ")
      switch kind {
      case "positional": return "<\(valueName ?? "value")>" + (isRepeating == true ? "..." : "")
      case "option": return "\(names) <\(valueName ?? "value")>"
      default: return names
      }
    }

    /// Its form in the synopsis.
    var usage: String {
      isOptional == false || (isOptional == nil && kind == "positional") ? term : "[\(term)]"
    }
  }

  var command: Command

  /// Asks the program's own parser.
  ///
  /// - Parameter program: The command with all verbs.
  /// - Throws: `DecodingError` if a new version of the parser uses another format.
  static func read(of program: any ParsableCommand.Type) throws -> CommandTree {
    do {
      _ = try program.parseAsRoot(["--experimental-dump-help"])
      throw VerbFailure(.failed, "The verbs and options could not be listed.")
    } catch let failure as VerbFailure {
      throw failure
    } catch {
      return try JSONDecoder().decode(
        CommandTree.self, from: Data(program.fullMessage(for: error).utf8))
    }
  }
}
