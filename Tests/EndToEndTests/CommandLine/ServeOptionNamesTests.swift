import ArgumentParser
import Foundation
import RallyCommand
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// Options of `rally serve` that a verb below it has as well. Of two of one name the parser sets the
  /// first only, unless both are one option of one group.
  @Suite struct ServeOptionNamesTests {
    private struct Verb {
      var words: [String]
      var arguments: [JSONValue]

      /// What it cannot do without.
      var needed: [String] {
        arguments.filter { $0["isOptional"] != true }.flatMap(\.typed)
      }
    }

    /// The verbs below a command, as the parser lists them.
    private static func verbs(below command: JSONValue, _ path: [String] = []) -> [Verb] {
      (command["subcommands"]?.array ?? []).flatMap { child -> [Verb] in
        guard let name = child["commandName"]?.string, name != "help" else { return [] }
        let words = path + [name]
        return [Verb(words: words, arguments: child["arguments"]?.array ?? [])]
          + verbs(below: child, words)
      }
    }

    private static func parsed(_ words: [String]) throws -> String {
      var text = ""
      dump(try ServeVerb.parseAsRoot(words), to: &text)
      return text
    }

    @Test func `an option of serve that a verb has too reaches the verb, wherever it stands`()
      throws
    {
      let tree = try WireJSON.value(of: Data(ServeVerb._dumpHelp().utf8))
      let serve = try #require(tree["command"])
      let options = Set((serve["arguments"]?.array ?? []).flatMap(\.longNames))
      var shared: Set<String> = []
      for verb in Self.verbs(below: serve) {
        let both = verb.arguments.filter {
          $0["kind"]?.string == "option" && $0["allValues"] == nil
            && !options.isDisjoint(with: $0.longNames)
        }
        let words = verb.words + verb.needed
        let given = both.flatMap(\.typed)
        for line in [words + given, given + words] {
          let command = try Self.parsed(line)
          for option in both {
            #expect(command.contains("\"\(option.value)\""), "serve \(line)")
          }
        }
        shared.formUnion(both.flatMap(\.longNames))
      }
      #expect(shared.isSuperset(of: ["public-url", "database", "encryption-key", "data"]))
    }
  }
}

extension JSONValue {
  /// The long names of an option, as the parser's help has them.
  fileprivate var longNames: [String] {
    guard self["kind"]?.string != "positional" else { return [] }
    return (self["names"]?.array ?? []).filter { $0["kind"]?.string == "long" }
      .compactMap { $0["name"]?.string }
  }

  /// A value that it takes, and no other option has.
  fileprivate var value: String { "the-\(longNames.first ?? "argument")" }

  /// The option with its value, as somebody types it.
  fileprivate var typed: [String] {
    switch self["kind"]?.string {
    case "positional": [value]
    case "flag": longNames.prefix(1).map { "--\($0)" }
    default: longNames.prefix(1).flatMap { ["--\($0)", value] }
    }
  }
}
