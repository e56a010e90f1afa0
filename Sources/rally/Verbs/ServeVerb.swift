import ArgumentParser
import Foundation
import Logging
import RallyDomain
import RallyServer
import RallyWire

/// Runs a server for a group, or, hidden, the embedded one that the client starts for itself.
struct ServeVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run a server for a group.",
    discussion: """
      Prints its address and its API key once it is ready, and stops cleanly on SIGTERM or ^C. \
      The data lies in --data, or in the data folder that the embedded server uses. SIGHUP has it \
      read its certificate again.
      """,
    subcommands: [ServeRotateSecretVerb.self])

  @OptionGroup var global: GlobalOptions
  @Option(help: "The address to listen on; 0.0.0.0 for everybody.") var host = "127.0.0.1"
  @Option(help: "The port; 0 lets the system choose.") var port = 8787
  @OptionGroup var connection: ServeConnectionOptions
  @Flag(help: .hidden) var embedded = false
  @Option(help: .hidden) var socket: String?

  /// How long the embedded server stays after its last client.
  private static let patience: Duration = .seconds(10)

  func run() async throws {
    let output = Output(options: global)
    let folder = try RallyFolders(data: global.data, profile: global.profile).data
    let server = try await start(in: folder)
    let end: @Sendable () -> Void = { Task { await server.shutdown() } }
    let signals = EndSignals(on: [SIGTERM, SIGINT], end)
    let reload = ReloadSignal(reload: { server.reload() }, end: end)
    defer {
      signals.cancel()
      reload.cancel()
    }
    do {
      try await server.run { addresses in
        guard let url = addresses.lazy.compactMap(\.url).first else { return }
        announce(ServerAnnouncement(url: url, key: server.apiKey), folder: folder, output)
      }
    } catch {
      throw VerbFailure(.failed, "The server stopped: \(error).")
    }
  }

  private func start(in folder: String) async throws -> RallyServer {
    guard (0...65_535).contains(port) else {
      throw VerbFailure(.usage, "There is no port \(port).", advice: "Give one up to 65535.")
    }
    let listener: ServerConfiguration.Listener =
      if let socket { .unixSocket(path: socket) } else { .tcp(host: host, port: port) }
    var configuration = ServerConfiguration(listeners: [listener], database: .folder(folder))
    if embedded { configuration.idleExit = Self.patience }
    if socket == nil { try connection.apply(to: &configuration, host: host) }
    do {
      return try await RallyServer(configuration: configuration, logger: Self.logger)
    } catch let failure as CertificateFailure {
      throw VerbFailure(.failed, failure.description)
    } catch let failure as DataFolderLock.Failure {
      throw VerbFailure(.failed, failure.description, advice: "Stop it, or give another --data.")
    }
  }

  private func announce(_ announcement: ServerAnnouncement, folder: String, _ output: Output) {
    if global.json {
      try? output.json(announcement)
    } else {
      output.data("url: \(announcement.url)")
      output.data("key: \(announcement.key)")
      output.talk("Serving \(folder). ^C stops.")
    }
  }

  /// Warnings and errors on standard error; the embedded server's goes to its log file.
  static var logger: Logger {
    var logger = Logger(label: "server") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .warning
    return logger
  }
}
