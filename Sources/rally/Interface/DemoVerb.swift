import ArgumentParser
import RallyCommand

/// Runs Rally with invented people, for a look around.
struct DemoVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Look around without an account.",
    discussion: """
      An invented cast moves, asks, answers and plays on a server of its own, which is thrown away \
      when you leave. Your own accounts and files are not touched.
      """)

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await StartInterface(global: global).runDemo()
  }
}
