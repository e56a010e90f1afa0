import ArgumentParser
import FoundationEssentials
import Glibc
import RallyCommand
import RallyDomain
import RallySystem
import RallyText
import RallyWire
import TerminalKit
import TerminalNcurses

/// The client. No verb starts the interface; `rally serve` becomes `rally-server`.
@main
struct Rally: AsyncParsableCommand {
  private static let version = "rally \(RallyVersion.current)"

  static let configuration = CommandConfiguration(
    commandName: "rally",
    abstract: "Your friends, on a map, in a terminal.",
    discussion: """
      Without a verb Rally starts its interface. Every verb prints data on standard output and \
      messages on standard error, and ends with 0 (ok), 1 (failed), 2 (usage), 3 (not signed in), \
      4 (offline), 5 (refused) or 6 (terminal too small).

      A link of an invitation instead of a verb (rally 'https://HOST/i#CODE') starts the interface \
      with what it gives: without an account there it makes one.
      """,
    version: version,
    subcommands: [
      SignUpVerb.self, LoginVerb.self, LogoutVerb.self, AccountVerb.self, WhoAmIVerb.self,
      FriendsVerb.self,
      MapVerb.self, WhereVerb.self, TellVerb.self, StatusVerb.self, LocationVerb.self,
      MissionsVerb.self,
      FeedVerb.self,
      InviteVerb.self, SSHKeyVerb.self, OpenVerb.self, DemoVerb.self, DoctorVerb.self,
      ServeVerb.self,
      KeysVerb.self, NotifyVerb.self, ConfigVerb.self, CompletionsVerb.self, ManualVerb.self,
      SSHKeysVerb.self, SSHSessionVerb.self,
    ])

  @OptionGroup var global: GlobalOptions
  @Option(help: .hidden) var link: String?

  func run() async throws {
    let invitation = link.flatMap { try? InvitationLink($0) }
    try await StartInterface(global: try await global.profile(for: invitation), link: link).run()
  }

  /// The arguments with an invitation link in the place of a verb replaced by `--link`.
  static func arguments(_ typed: [String]) -> [String] {
    let verbs = Set(configuration.subcommands.compactMap { $0.configuration.commandName })
    guard let index = typed.firstIndex(where: InvitationLink.isLink),
      index == 0 || !["--server", "--key"].contains(typed[index - 1]),
      verbs.isDisjoint(with: typed[..<index])
    else { return typed }
    var arguments = typed
    arguments[index] = "--link=\(typed[index])"
    return arguments
  }

  @MainActor static func main() async {
    ChildProgram.makeOwnFilesPrivate()
    // A file that would grow past the limit of its user is an error of the write, as a full disk is.
    signal(SIGXFSZ, SIG_IGN)
    do {
      let typed = try TypedArguments.read()
      // Without the parser, which takes longer than all the rest of it.
      if typed == ["--version"] { return Output.say(version, to: STDOUT_FILENO) }
      if typed.first == "serve" { try ServerExecutable.replaceProcess(typed) }
      BundledTerminfo.offer()
      var command = try parseAsRoot(arguments(typed))
      if command is any ServerVerb { try ServerExecutable.replaceProcess(typed) }
      if !reporting.contains(where: { $0 == type(of: command) }) {
        options(of: command)?.reportConfigurationProblems()
      }
      // Before the first suspension.
      if command is Rally || command is DemoVerb || command is OpenVerb
        || command is SSHSessionVerb || (command as? StatusVerb)?.follow == true
      {
        serveInterface()
      }
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      Output.finish(with: error, parser: Rally.self)
    }
  }

  /// The verbs that say themselves what of the configuration is ignored.
  private static let reporting: [any ParsableCommand.Type] = [
    Rally.self, DemoVerb.self, DoctorVerb.self, KeysVerb.self, ConfigCheckVerb.self,
    ConfigDumpVerb.self,
  ]

  /// The options of every verb, of a verb of any kind.
  private static func options(of command: any ParsableCommand) -> GlobalOptions? {
    let group = Mirror(reflecting: command).descendant("_global") as? OptionGroup<GlobalOptions>
    return group?.wrappedValue
  }

  /// Chooses the threads of a program with an interface: the main thread, and one for all tasks.
  @MainActor private static func serveInterface() {
    EventLoopExecutor.install()
    MainLoop.install()
  }
}

/// What was typed after the program's name, as text.
///
/// `CommandLine.arguments` puts U+FFFD in place of bytes that are no UTF-8. Everybody would read that
/// as the title of a mission.
enum TypedArguments {
  /// - Throws: `VerbFailure` for an argument that is neither UTF-8 nor in the charset of the locale.
  static func read(
    environment: @autoclosure () -> [String: String] = ProcessInfo.processInfo.environment
  ) throws(VerbFailure) -> [String] {
    var texts: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let start = CommandLine.unsafeArgv[index] else { break }
      if let text = String(validatingCString: start) {
        texts.append(text)
      } else {
        texts.append(try decoded(start, environment()))
      }
    }
    return texts
  }

  private static func decoded(
    _ start: UnsafeMutablePointer<CChar>, _ environment: [String: String]
  ) throws(VerbFailure) -> String {
    if let charset = SingleByteCharset.ofLocale(environment) {
      let bytes = UnsafeBufferPointer(start: start, count: strlen(start))
      return charset.text(bytes.map(UInt8.init(bitPattern:)))
    }
    throw VerbFailure(
      .usage,
      "The argument \u{201C}\(String(cString: start).cleanedForDisplay)\u{201D} is not UTF-8, and"
        + " the locale names no other character set.",
      advice: "Set LANG to what your terminal sends, such as de_DE.ISO-8859-1, or type it in UTF-8."
    )
  }
}
