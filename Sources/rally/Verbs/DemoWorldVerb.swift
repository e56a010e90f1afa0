import ArgumentParser
import Foundation
import RallyDemo
import RallyDomain
import RallyServer
import RallyWire

/// The process of one demo: a server in memory, and the cast that acts on it.
///
/// It ends when its standard input does, which is held open by the visitor's program, and takes the
/// demo's folder with it.
struct DemoWorldVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo-world", abstract: "Run the server and the cast of a demo.",
    shouldDisplay: false)

  @Option(help: .hidden) var folder: String

  func run() async throws {
    let folder = try DemoFolder(joining: folder)
    // Everything is in memory: there is nothing that an orderly end would save.
    let end: @Sendable () -> Void = {
      folder.remove()
      Foundation.exit(0)
    }
    var configuration = ServerConfiguration(
      listeners: [.tcp(host: "127.0.0.1", port: 0)], database: .inMemory, passwordCost: .cheap,
      budgets: .withoutRates)
    // Nobody real moves here, and a demo shows what moves.
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
      Output.write(try WireJSON.printed(announcement) + "\n", to: STDOUT_FILENO)
      // Nobody reads more of it.
      close(STDOUT_FILENO)
      await director.run()
    } catch {
      Output.say("The demo was not prepared: \(error)")
      await server.shutdown()
    }
  }

  /// Waits in a thread of its own until there is no more input, however its holder ended.
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
