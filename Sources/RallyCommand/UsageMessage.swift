import ArgumentParser
import RallyDomain

/// What is said of arguments that could not be parsed.
package struct UsageMessage {
  package let text: String

  /// - Parameter arguments: As typed, without the program's name.
  package init(_ error: any Error, arguments: [String], of parser: any ParsableCommand.Type) {
    let full = parser.fullMessage(for: error)
    let prefix = "Error: "
    guard full.hasPrefix(prefix) else {
      text = full.isEmpty ? "rally: \(error)" : full
      return
    }
    let first = full.prefix { $0 != "\n" }
    let unexpected =
      first.contains("nexpected argument")
      ? arguments.filter { !$0.hasPrefix("-") && first.contains("'\($0)'") } : []
    let verb = Self.mistypedVerb(arguments, unexpected: unexpected, of: parser)
    text = "rally: " + (verb ?? String(full.dropFirst(prefix.count)))
  }

  /// What is said of a word that stands where a verb does and is none; nil if there is no such word.
  ///
  /// - Parameter unexpected: The words that are neither verbs nor values.
  private static func mistypedVerb(
    _ arguments: [String], unexpected: [String], of parser: any ParsableCommand.Type
  ) -> String? {
    var path = ["rally"]
    var command = parser.configuration
    for word in arguments where !word.hasPrefix("-") {
      let verbs = command.subcommands.map { $0.configuration }.filter { $0.shouldDisplay }
      if let verb = verbs.first(where: { $0.commandName == word }) {
        command = verb
        path.append(word)
      } else if unexpected.contains(word), path == ["rally"], word.contains("://") {
        return InvitationLink.foreignAdvice
      } else if unexpected.contains(word), !verbs.isEmpty {
        let near = NameSuggestion.of(word, among: verbs.compactMap { $0.commandName })
        let path = path.joined(separator: " ")
        return "There is no `\(path) \(word)`."
          + (near.map { " Did you mean `\(path) \($0)`?" } ?? "")
          + "\n`\(path) --help` lists what there is."
      }
    }
    return nil
  }
}
