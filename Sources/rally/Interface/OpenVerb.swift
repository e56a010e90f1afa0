import ArgumentParser
import FoundationEssentials
import Glibc
import RallyClient
import RallyCommand
import RallyDomain
import RallySystem
import RallyWire

/// Opens a link in the interface that is open, or in a new one.
struct OpenVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Open the link of an invitation or a mission, in the interface that is open.",
    discussion: """
      The interface shows what the link gives and asks; nothing is accepted by opening it. Without \
      an open interface one is started: in this terminal, or in a new one (xdg-terminal-exec, \
      x-terminal-emulator) where there is none.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The link, like https://rally.example.org/i#7QK2MX9PTFH3W8RT.") var link: String

  /// Programs that run another one in a new terminal, with what stands before its arguments.
  private static let terminals = [["xdg-terminal-exec"], ["x-terminal-emulator", "-e"]]

  func run() async throws {
    let opened: RallyLink
    do throws(RallyLink.Problem) {
      opened = try RallyLink(link)
    } catch {
      throw VerbFailure(.usage, error.sentence)
    }
    let global = try await global.profile(for: opened.invitation)
    let setup = try await Setup(global)
    if ClientSocket(folders: setup.folders).open(opened.text) {
      return Output(options: global).message("The open interface shows it.")
    }
    if isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 {
      return try await StartInterface(global: global, link: opened.text).run()
    }
    try Self.startTerminal(Setup.executable, global.interfaceArguments + [opened.text])
  }

  /// Replaces this process by a terminal with the interface in it.
  private static func startTerminal(_ executable: String, _ arguments: [String]) throws -> Never {
    for terminal in terminals {
      var words: [UnsafeMutablePointer<CChar>?] =
        (terminal + [executable] + arguments).map { strdup($0) }
      words.append(nil)
      execvp(terminal[0], words)
    }
    throw VerbFailure(
      .failed, "No interface is open, and there is no terminal to start one in.",
      advice: "Run `rally LINK` in a terminal.")
  }
}

extension GlobalOptions {
  /// The same with the profile that used an invitation's server last, unless another was named.
  func profile(for link: InvitationLink?) async throws -> GlobalOptions {
    guard profile == nil, server == nil, let url = link?.server else { return self }
    let folders = try RallyFolders(data: data, profile: profile)
    var options = self
    options.profile = await ServerMemoryService.profile(using: url, in: folders)
    return options
  }

  /// The options that an interface is started with, as they were given.
  var interfaceArguments: [String] {
    let values = [
      ("--data", data), ("--config", config), ("--profile", profile), ("--server", server),
      ("--color", color == .auto ? nil : color.rawValue),
    ]
    return values.flatMap { name, value in value.map { [name, $0] } ?? [] }
      + (insecure ? ["--insecure"] : []) + (plain ? ["--plain"] : [])
  }
}
