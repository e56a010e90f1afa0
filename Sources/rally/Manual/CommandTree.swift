import ArgumentParser
import FoundationEssentials
import RallyCommand

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
    var discussion: String?
    var defaultValue: String?
    var allValues: [String]?

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
