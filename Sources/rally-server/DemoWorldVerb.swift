import ArgumentParser
import Foundation
import RallyClient
import RallyCommand
import RallyDemo
import RallyDomain
import RallyGate
import RallyRules
import RallyServer
import RallyWire

/// The process of one demo: a server in memory, and the clients of its invented people.
///
/// It ends at end of file on standard input, which the visitor's program holds open, and removes
/// the demo's folder.
struct DemoWorldVerb: PerformedVerb {
  static let configuration = CommandConfiguration(
    commandName: "demo-world", abstract: "Run the server and the cast of a demo.",
    shouldDisplay: false)

  @Option(help: .hidden) var folder: String

  func perform() async throws {
    let folder = try DemoFolder(joining: folder)
    // Everything is in memory, so there is nothing to save.
    let end: @Sendable () -> Void = {
      folder.remove()
      Foundation.exit(0)
    }
    var configuration = ServerConfiguration(
      listeners: [.tcp(host: "127.0.0.1", port: 0)], database: .inMemory, passwordCost: .cheap,
      budgets: .withoutRates)
    // Moves are announced without delay: there is no real person to protect.
    configuration.moveDelay = .none
    let server = try await RallyServer(configuration: configuration, logger: ServeOptions.logger())
    let signals = EndSignals(end)
    defer { signals.cancel() }
    Self.watchInput(end)
    let (opened, open) = AsyncStream.makeStream(of: ServerAddress.self)
    let playing = Task {
      for await address in opened { await Self.play(on: address, server: server) }
    }
    defer {
      playing.cancel()
      folder.remove()
    }
    try await server.run { addresses in
      guard let text = addresses.lazy.compactMap(\.url).first, let url = try? ServerURL(text) else {
        return
      }
      open.yield(ServerAddress(endpoint: .url(url), key: server.apiKey))
    }
  }

  private static func play(on address: ServerAddress, server: RallyServer) async {
    let director = DemoDirector(server: address, clock: .running())
    do {
      let visitor = try await director.prepare()
      let announcement = DemoAnnouncement(
        url: address.endpoint.description, key: address.key, visitor: visitor)
      Output.write(try WireJSON.escapedText(announcement) + "\n", to: STDOUT_FILENO)
      // No more output follows.
      close(STDOUT_FILENO)
      await director.run()
    } catch {
      Output.say("The demo was not prepared: \(error)")
      await server.shutdown()
    }
  }

  /// Waits on its own thread for end of file, however the other process ended.
  private static func watchInput(_ ended: @escaping @Sendable () -> Void) {
    let thread = Thread {
      var byte: UInt8 = 0
      while true {
        let count = read(STDIN_FILENO, &byte, 1)
        if count == 0 || (count < 0 && errno != EINTR) { break }
      }
      ended()
    }
    thread.name = "rally.leash"
    thread.stackSize = 128 << 10
    thread.start()
  }
}
