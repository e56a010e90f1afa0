import ArgumentParser
import Glibc
import RallyCommand

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
