import Dispatch
import Foundation
import Logging
import RallyClient
import RallyCommand
import RallyDomain
import RallyRules
import RallyServer
import RallyStorage
import RallySystem
import RallyWire

extension ServeVerb: PerformedVerb {
  /// How long the embedded server runs after its last client disconnected.
  private static let patience: Duration = .seconds(10)

  /// How long a start waits for a database that is not there yet: less than systemd waits for a
  /// start.
  private static let databasePatience: Duration = .seconds(60)

  /// Examines the budgets, then drops privileges that the server does not need; afterwards it
  /// writes only its files and socket.
  func prepare() throws {
    _ = try operation.budgets()
    // `perform` reports a folder that cannot be determined.
    guard let folder = try? RallyFolders(data: global.data, profile: global.profile).data
    else { return }
    let socketFolder = socket.map { ($0 as NSString).deletingLastPathComponent }
    ServerSandbox.enter(
      writingIn: [folder] + [socketFolder, newKeyFolder].compactMap(\.self),
      sockets: socketFolder.map(Self.lastingFolder))
  }

  /// What stays when a logout removes the folder of a session, in which the socket's folder lies.
  private static func lastingFolder(above folder: String) -> String {
    let session = (folder as NSString).deletingLastPathComponent
    let above = (session as NSString).deletingLastPathComponent
    return above == "/" ? session : above
  }

  /// The folder where the first start makes the encryption key; nil if it is there.
  private var newKeyFolder: String? {
    guard let key = place.encryptionKey, access(key, F_OK) != 0 else { return nil }
    let parent = (key as NSString).deletingLastPathComponent
    return parent.isEmpty ? "." : parent
  }

  func perform() async throws {
    let output = Output(options: global)
    let folder = try RallyFolders(data: global.data, profile: global.profile).data
    // A file that reaches its size limit is an error to respond with, not a reason to terminate.
    signal(SIGXFSZ, SIG_IGN)
    for right in ServerSandbox.dropped { operation.logger.notice("sandbox: gave up \(right)") }
    let manager = ServiceManager()
    let reached =
      embedded
      ? nil
      : try address.url(insecure: global.insecure).map(PublicAddress.init)
    let storage = try database(in: folder)
    let server = try await start(on: storage, manager)
    let end: @Sendable () -> Void = {
      manager.isStopping()
      Task { await server.shutdown() }
    }
    let signals = EndSignals(on: [SIGTERM, SIGINT], end)
    let reload = ReloadSignal(reload: { server.reload() }, end: end)
    defer {
      signals.cancel()
      reload.cancel()
    }
    do {
      try await server.run { addresses in
        manager.isReady("Serving \(addresses.compactMap(\.url).joined(separator: ", "))")
        guard let url = addresses.lazy.compactMap(\.url).first else { return }
        announce(
          ServerAnnouncement(url: url, key: server.apiKey, metrics: server.operatorAddress?.url),
          folder: folder, output)
        if let reached { Task { await reached.check(key: server.apiKey, output) } }
      }
    } catch let failure as ListenFailure {
      throw VerbFailure(.failed, failure.description, advice: advice(on: failure))
    } catch {
      throw VerbFailure(of: error, on: storage)
        ?? VerbFailure(.failed, "The server stopped: \(error).")
    }
  }

  private func advice(on failure: ListenFailure) -> String? {
    guard case .tcp = failure.listener else { return nil }
    let isForPeople = failure.listener == .tcp(host: host, port: port)
    let flag = isForPeople ? "--" : "--metrics-"
    return switch failure.reason {
    case .taken: "Stop it, or give another \(flag)port."
    case .foreign, .unknown: "Give an address of this machine as \(flag)host; 0.0.0.0 is all."
    case .forbidden:
      "Ports below 1024 are root's; give another \(flag)port, or let systemd open it."
    case .other: nil
    }
  }

  /// - Parameter manager: Its inherited sockets, if any, replace the address.
  private func start(
    on storage: ServerConfiguration.Database, _ manager: ServiceManager
  ) async throws -> RallyServer {
    guard (0...65_535).contains(port) else {
      throw VerbFailure(.usage, "There is no port \(port).", advice: "Give one up to 65535.")
    }
    let listener: ServerConfiguration.Listener =
      if let socket { .unixSocket(path: socket) } else { .tcp(host: host, port: port) }
    var configuration = ServerConfiguration(
      listeners: manager.sockets.isEmpty
        ? [listener] : manager.sockets.map { .inherited(descriptor: $0) },
      database: storage)
    configuration.databasePatience = Self.databasePatience
    configuration.encryptionKey = place.encryptionKey
    if socket == nil {
      for host in manager.sockets.isEmpty ? [host] : manager.hosts {
        try connection.apply(to: &configuration, host: host, insecure: global.insecure)
        configuration.publicURL = try address.url(insecure: global.insecure)?.description
      }
    }
    // After the connection's options: an explicit budget applies also with `--no-limits`.
    if embedded {
      configuration.idleExit = Self.patience
    } else {
      try operation.apply(to: &configuration)
    }
    do {
      return try await RallyServer(configuration: configuration, logger: operation.logger)
    } catch let failure as CertificateFailure {
      throw VerbFailure(.failed, failure.description)
    } catch {
      throw VerbFailure(of: error, on: storage)
        ?? VerbFailure(.failed, "The server did not start: \(error).")
    }
  }

  /// The embedded server ignores `RALLY_DATABASE`, which is for `rally serve`.
  private func database(in folder: String) throws -> ServerConfiguration.Database {
    if embedded { return .folder(folder) }
    if let (address, _) = try DatabaseChoice.vault(place, folder: folder) {
      return .postgres(address, folder: folder)
    }
    return try DatabaseChoice.database(flag: place.database, folder: folder)
  }

  private func announce(_ announcement: ServerAnnouncement, folder: String, _ output: Output) {
    if global.json {
      try? output.json(announcement)
    } else {
      output.data("url: \(announcement.url)")
      output.data("key: \(announcement.key)")
      if let metrics = announcement.metrics { output.data("metrics: \(metrics)/metrics") }
      output.message("Serving \(folder). ^C stops.")
    }
  }
}

/// SIGHUP: reload, unless it means that this process's terminal was closed.
final class ReloadSignal {
  private let source: any DispatchSourceSignal

  /// - Parameters:
  ///   - reload: Called if the signal asks for a reload.
  ///   - end: Called if the terminal was closed.
  init(reload: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void) {
    let hadTerminal = ReloadSignal.hasTerminal
    signal(SIGHUP, SIG_IGN)
    source = DispatchSource.makeSignalSource(
      signal: SIGHUP, queue: DispatchQueue(label: "rally.reload"))
    source.setEventHandler {
      if hadTerminal && !ReloadSignal.hasTerminal { end() } else { reload() }
    }
    // Until Dispatch has taken the signal over, it is ignored: what would be reloaded was just read.
    source.setRegistrationHandler { if hadTerminal && !ReloadSignal.hasTerminal { end() } }
    source.resume()
  }

  /// Whether the process has a controlling terminal that is still open.
  private static var hasTerminal: Bool {
    let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { return false }
    close(terminal)
    return true
  }

  func cancel() { source.cancel() }
}
