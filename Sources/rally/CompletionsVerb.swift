import ArgumentParser
import FoundationEssentials
import Glibc
import RallyCommand
import RallyTUI

/// Prints a shell's completion script.
struct CompletionsVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions", abstract: "Print the completions for a shell.",
    discussion: """
      For bash: rally completions bash > ~/.local/share/bash-completion/completions/rally

      For zsh: rally completions zsh > DIR/_rally, with a DIR of $fpath

      For fish: rally completions fish > ~/.config/fish/completions/rally.fish

      `make install` puts all three in their places.
      """)

  enum Shell: String, CaseIterable, ExpressibleByArgument {
    case bash, zsh, fish

    var parserName: CompletionShell {
      switch self {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    }
  }

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The shell.") var shell: Shell

  func run() async throws {
    Output.write(Rally.completionScript(for: shell.parserName) + "\n", to: STDOUT_FILENO)
  }
}

/// Writes the pages that are made from the program's own tables, for `make docs`.
struct ManualVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Print a page of the manual, or write all pages.",
    shouldDisplay: false)

  enum Page: String, CaseIterable, ExpressibleByArgument {
    case rally = "rally.1"
    case config = "rally-config.5"
    case keys = "rally-keys.7"
    case keysForBrowsers = "keys.md"

    /// Where it lies below `docs`.
    var path: String { self == .keysForBrowsers ? rawValue : "man/\(rawValue)" }

    func text() throws -> String {
      switch self {
      case .rally: try CommandPage(tree: .read(of: Rally.self)).text
      case .config: ConfigurationPage.text
      case .keys: KeyDocument(table: .rally).manual
      case .keysForBrowsers: KeyDocument(table: .rally).markdown
      }
    }
  }

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The page; without one all are written.") var page: Page?
  @Option(help: "The folder that all pages are written to.", completion: .directory)
  var into = "docs"

  func run() async throws {
    if let page { return Output.write(try page.text(), to: STDOUT_FILENO) }
    for page in Page.allCases {
      let file = URL(filePath: into).appending(path: page.path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(page.text().utf8).write(to: file)
    }
  }
}
