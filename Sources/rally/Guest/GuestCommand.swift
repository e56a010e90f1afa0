import RallyCommand

/// What a guest asks for in `SSH_ORIGINAL_COMMAND`: `ssh rally@host where --json`.
///
/// Only verbs about the guest's own account are taken, and of their options
/// those that name no file, no folder and no server. No shell ever reads it.
enum GuestCommand: Hashable {
  /// The interface; `--plain` draws it without frames.
  case interface(isPlain: Bool)
  /// Says whose the key is, of a username, with which nobody came in yet.
  case claim(String)
  /// Arguments of `rally`.
  case verb([String])

  /// Nil for the interface.
  var words: [String]? { if case .verb(let words) = self { words } else { nil } }

  var claimant: String? { if case .claim(let username) = self { username } else { nil } }

  private static let everywhere: Set = [
    "--json", "--quiet", "-q", "--plain", "--color", "--help", "-h",
  ]
  /// Verbs with their subcommands, the one that stands for the verb alone first, and the options of
  /// each.
  private static let allowed: [String: KeyValuePairs<String, Set<String>>] = [
    "whoami": ["": []],
    "where": ["": []],
    "feed": ["": ["--follow", "--limit"]],
    "tell": ["": ["--first"]],
    "friends": [
      "list": ["--filter"], "requests": ["--incoming", "--outgoing"], "search": ["--limit"],
      "blocked": [],
    ],
    "missions": [
      "list": ["--scope", "--near", "--radius", "--first"], "show": [], "coming": [],
      "calendar": [],
    ],
  ]

  /// - Parameter text: nil or empty for none.
  /// - Throws: `VerbFailure` with `usage`, which names what is not done here.
  init(_ text: String?) throws(VerbFailure) {
    var words = try Self.words(of: text ?? "")
    guard let verb = words.first else {
      self = .interface(isPlain: false)
      return
    }
    guard words != ["--plain"] else {
      self = .interface(isPlain: true)
      return
    }
    if words.count == 2, verb == "claim", !words[1].hasPrefix("-") {
      self = .claim(words[1])
      return
    }
    guard let subcommands = Self.allowed[verb], let standard = subcommands.first else {
      throw Self.refusal(verb)
    }
    var options = standard.value
    if !standard.key.isEmpty {
      if words.count == 1 || words[1].hasPrefix("-") { words.insert(standard.key, at: 1) }
      guard let named = subcommands.first(where: { $0.key == words[1] }) else {
        throw Self.refusal("\(verb) \(words[1])")
      }
      options = named.value
    }
    for word in words where word.hasPrefix("-") {
      let name = String(word.prefix { $0 != "=" })
      guard options.contains(name) || Self.everywhere.contains(name) else {
        throw Self.refusal("the option \(name)")
      }
    }
    self = .verb(words)
  }

  /// Words of letters, digits and a few marks between blanks: whatever a shell would read as more
  /// than a word is refused, and so are paths.
  private static func words(of text: String) throws(VerbFailure) -> [String] {
    let isPlain = text.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || $0.properties.numericType != nil
        || " @._,:=+-".contains(
          Character($0))
    }
    guard isPlain, text.utf8.count <= 1024 else {
      throw VerbFailure(
        .usage, "That is no command of Rally's: write plain words, like where --json.",
        advice: advice)
    }
    return text.split(separator: " ").map(String.init)
  }

  private static func refusal(_ what: String) -> VerbFailure {
    VerbFailure(.usage, "Over SSH there is no “\(what)”.", advice: advice)
  }

  private static let advice =
    "There are whoami, where, friends, missions, feed, tell and claim; without a command Rally opens."
}
