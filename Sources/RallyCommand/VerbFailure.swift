import ArgumentParser
import FoundationEssentials
import RallyClient
import RallyDomain
import RallyStreets
import RallySystem
import RallyWire

/// The exit codes; scripts depend on them.
package enum VerbStatus: Int32 {
  case ok = 0
  case failed = 1
  case usage = 2
  case notSignedIn = 3
  case offline = 4
  case refused = 5
  case terminalTooSmall = 6
}

/// The failure of a verb: what failed, what to do about it, and the exit code.
package struct VerbFailure: ReportableError {
  package var status: VerbStatus
  package var message: String
  package var advice: String?

  package var sentence: String { advice.map { "\(message) \($0)" } ?? message }

  package init(_ status: VerbStatus, _ message: String, advice: String? = nil) {
    self.status = status
    self.message = message
    self.advice = advice
  }

  package static var notSignedIn: VerbFailure {
    VerbFailure(
      .notSignedIn, "You are not signed in.", advice: "Run `rally login` or `rally signup`.")
  }
}

extension VerbFailure {
  /// What to do about a file or folder that the operating system refuses.
  package static let lookAtRights =
    "Look at its rights and its disk, or give another folder as --data."

  /// An error of another module as a message for the command line; nil for errors of the argument
  /// parser.
  package init?(translating error: any Error) {
    switch error {
    case let problem as FieldProblem: self.init(.usage, problem.advice)
    case let error as AuthError: self.init(error)
    case let error as NetworkError: self.init(error)
    case let error as ArchiveError: self.init(.failed, error.sentence)
    case let problem as SignOutProblem: self.init(.offline, problem.sentence)
    case let problem as PositionProblem: self.init(.refused, problem.sentence)
    default:
      if let error = FileError(error) {
        self.init(.failed, error.sentence, advice: Self.lookAtRights)
      } else if error is any ReportableError || error is POSIXError || error is CocoaError {
        self.init(.failed, error.sentence)
      } else {
        return nil
      }
    }
  }

  private init(_ error: AuthError) {
    switch error {
    case .signedOut: self = .notSignedIn
    case .invalid(let problem): self.init(.usage, problem.advice)
    case .network(let error): self.init(error)
    case .file(let error):
      self.init(.failed, "The session cannot be kept: \(error.sentence)", advice: Self.lookAtRights)
    default: self.init(.refused, error.sentence)
    }
  }

  private init(_ error: NetworkError) {
    switch error {
    case .signedOut: self = .notSignedIn
    case .refused: self.init(.refused, error.sentence)
    case .plainText(let host):
      self.init(
        .usage, "Without TLS anybody on the way to \(host) can read passwords.",
        advice: "Give an address of https, or --insecure if you accept that.")
    case .auth, .rateLimited: self.init(.refused, error.sentence)
    case .moved: self.init(.offline, error.sentence)
    case .notTheServer:
      self.init(
        .offline, error.commandLineSentence,
        advice: "Check the address, and whether this network asks you to sign in.")
    case _ where error.isOffline:
      self.init(.offline, error.commandLineSentence, advice: "Check the address and the network.")
    default: self.init(.failed, error.commandLineSentence)
    }
  }
}

extension NetworkError {
  /// The sentence without advice about keys, which only the interface has.
  package var commandLineSentence: String {
    switch self {
    case .unreachable(let reason): "Server not reached (\(reason))."
    case .connectionLost: "The connection broke."
    case .timedOut: "The server did not answer in time."
    case .notTheServer(let status?):
      "Something else answered in place of the server (HTTP \(status))."
    case .notTheServer(nil): "Something that is no Rally server answers at this address."
    default: sentence
    }
  }
}

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
