import Foundation
import Logging
import RallyClient
import RallyCommand
import RallyDomain
import RallyRules
import RallyServer
import RallyStorage
import RallyStreets
import RallySystem
import RallyText
import RallyWire

extension ServeOptions {
  /// The standard budgets with the operator's changes.
  ///
  /// - Throws: `VerbFailure` with `usage` about the first invalid one.
  func budgets(changing standard: Budgets = .standard) throws(VerbFailure) -> Budgets {
    var budgets = standard
    for text in budget {
      do throws(Budgets.Problem) {
        try budgets.apply(text)
      } catch {
        throw VerbFailure(.usage, error.sentence)
      }
    }
    return budgets
  }

  func apply(to configuration: inout ServerConfiguration) throws {
    configuration.budgets = try budgets(changing: configuration.budgets)
    configuration.signUpPolicy = signup
    configuration.drainTime = .seconds(drain)
    configuration.streets = try streets.map(Self.archive)
    configuration.metrics = metricsPort.map { .tcp(host: metricsHost, port: $0) }
  }

  /// The absolute path of an archive that can be offered.
  private static func archive(_ path: String) throws -> String {
    guard let archive = try TileArchives.open(path) as? PMTilesArchive else {
      throw VerbFailure(
        .usage, "Only PMTiles can be offered: parts of an MBTiles file cannot be fetched.",
        advice:
          "`rally map add \(path.shellWord)` makes a PMTiles file of it, which `rally map info` names."
      )
    }
    try archive.checkTiles()
    return URL(filePath: path).standardizedFileURL.path
  }

  var logger: Logger { Self.logger(LogFormat(logFormat), from: logLevel) }

  /// A logger on standard error.
  static func logger(_ format: LogFormat = .text, from level: Logger.Level = .warning) -> Logger {
    var logger = Logger(label: "server") { label in
      ServerLogHandler(label: label, format: format) { Output.write($0, to: STDERR_FILENO) }
    }
    logger.logLevel = level
    return logger
  }
}

extension Budgets.Problem {
  fileprivate var sentence: String {
    switch self {
    case .noAssignment(let text):
      return "“\(text.cleanedForDisplay)” is not a budget: write NAME=VALUE, like"
        + " \(Budget.searchesPerPerson.rawValue)=300."
    case .unknownName(let name):
      let near = NameSuggestion.of(name, among: Budget.allCases.map(\.rawValue))
      return "There is no budget “\(name.cleanedForDisplay)”. "
        + (near.map { "Did you mean \($0)?" } ?? "`rally serve budgets` lists them.")
    case .badValue(let text, let budget):
      return
        "“\(text.cleanedForDisplay)” is not a value for \(budget.rawValue): give a whole number"
        + " from 1 to \(Budgets.largest)."
    }
  }
}

extension LogFormat {
  fileprivate init(_ style: ServeOptions.LogStyle) {
    self =
      switch style {
      case .text: .text
      case .json: .json
      }
  }
}

extension ServeConnectionOptions {
  /// Applies the options to the configuration of a server that listens on `host`.
  ///
  /// - Parameter insecure: Whether a public address without TLS is allowed, as behind a TLS proxy.
  /// - Throws: `VerbFailure` for a certificate without key or a key without certificate, and for a
  ///   public address without TLS.
  func apply(to configuration: inout ServerConfiguration, host: String, insecure: Bool) throws {
    let environment = ProcessInfo.processInfo.environment
    let certificate = tlsCertificate ?? environment["RALLY_TLS_CERTIFICATE"]
    let key = tlsKey ?? environment["RALLY_TLS_KEY"]
    switch (certificate, key) {
    case (let certificate?, let key?):
      configuration.certificate = CertificateFiles(certificate: certificate, key: key)
    case (nil, nil):
      guard insecure || ListenAddress.isLoopback(host) else {
        throw VerbFailure(
          .usage, "Without TLS anybody on the way to \(host) can read passwords.",
          advice: "Give --tls-certificate and --tls-key, or --insecure behind a proxy with TLS.")
      }
    default:
      throw VerbFailure(
        .usage, "A certificate needs its key, and a key its certificate.",
        advice: "Give both --tls-certificate and --tls-key.")
    }
    for address in trustedProxy where !ListenAddress.isLiteral(address) {
      throw VerbFailure(
        .usage, "“\(address)” is not an address.",
        advice: "Give the proxy's address, like 10.0.0.1.")
    }
    configuration.trustedProxies = trustedProxy
    configuration.sshCommand = try (publicSSH ?? environment["RALLY_PUBLIC_SSH"]).map(Self.ssh)
    if noLimits {
      // For benchmarks, in which one address sends all requests.
      configuration.budgets = .withoutRates
      configuration.budgets[.connectionsPerAddress] = Budgets.largest
      configuration.budgets[.connectionsPerPerson] = Budgets.largest
      configuration.budgets[.socketsPerAddress] = Budgets.largest
    }
  }

  /// The command for `user@host:port`.
  private static func ssh(_ typed: String) throws -> String {
    let parts = typed.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let (user, port) = (parts[0], parts.count == 2 ? Int(parts[1]) : 22)
    let isPlace =
      !user.isEmpty && !user.hasPrefix("-")
      && user.utf8.allSatisfy { $0.isAlphanumeric(or: "-._@") }
    guard isPlace, let port, (1...65_535).contains(port) else {
      throw VerbFailure(
        .usage, "“\(typed.cleanedForDisplay)” is no SSH door.",
        advice: "Write it like rally-ssh@rally.example.org:2222.")
    }
    return port == 22 ? "ssh \(user)" : "ssh -p \(port) \(user)"
  }
}

/// The database of `rally serve`.
enum DatabaseChoice {
  /// The environment variable; unlike arguments, other users of the machine cannot read it.
  static let variable = "RALLY_DATABASE"

  /// - Parameters:
  ///   - flag: The value of `option`.
  ///   - option: What the address was given as.
  /// - Throws: `VerbFailure` with `usage` for an invalid address or a password in the arguments.
  static func database(
    flag: String?, option: String = "--database", folder: String
  ) throws(VerbFailure) -> ServerConfiguration.Database {
    let variable = ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    guard let text = flag ?? variable else { return .folder(folder) }
    let address: PostgresAddress
    do {
      address = try PostgresAddress(text)
    } catch {
      // The value is not repeated: it may contain a password.
      throw VerbFailure(
        .usage, error.description,
        advice: "Give \(flag == nil ? Self.variable : option) an address like that.")
    }
    guard flag == nil || !address.hasPassword else {
      throw VerbFailure(
        .usage, "A password in \(option) can be read by everybody on this machine.",
        advice: "Put the whole address into \(Self.variable) instead, or leave the password to"
          + " PGPASSWORD or ~/.pgpass.")
    }
    return .postgres(address, folder: folder)
  }

  /// The address and the file of an encryption key, where the keys are in the database; nil where
  /// they are in the folder.
  ///
  /// - Throws: As `database`, and for an encryption key without PostgreSQL.
  static func vault(
    _ place: ServeDatabase, folder: String
  ) throws(VerbFailure) -> (address: PostgresAddress, key: String)? {
    guard let key = place.encryptionKey else { return nil }
    guard case .postgres(let address, _) = try database(flag: place.database, folder: folder) else {
      throw VerbFailure(
        .usage, "An encryption key is for a server on PostgreSQL.",
        advice: "Give --database too, or leave --encryption-key out: the keys are in --data.")
    }
    return (address, key)
  }
}

/// The address under which a group reaches this server, as its operator said it.
struct PublicAddress {
  let url: ServerURL

  /// Asks at the address, and says what answers there. This machine may not get there although others
  /// do, so the server goes on whatever comes.
  ///
  /// - Parameter key: The server's API key, which no other server accepts.
  func check(key: String, _ output: Output) async {
    let url = url
    let client = SupabaseClient(tokens: nil) {
      ServerAddress(endpoint: .url(url), key: key)
    }
    do {
      try await ServerHealthService(client: client).checkServer()
      output.message("\(url) answers as this server: invitations are links to it.")
    } catch NetworkError.invalidKey, NetworkError.notTheServer, NetworkError.moved {
      output.message(
        "Something else than this server answers at \(url): invitations would lead there. Check"
          + " --public-url, and the proxy.")
    } catch {
      output.message(
        "\(url) was not reached from here, so nobody knows whether invitations work:"
          + " \(error.sentence)")
    }
  }
}

extension ServePublicAddress {
  /// How the group reaches this server; nil if nobody said it.
  ///
  /// - Throws: `VerbFailure` for what is no address, and for one that everybody on the way reads.
  func url(insecure: Bool) throws -> ServerURL? {
    let typed = publicURL ?? ProcessInfo.processInfo.environment["RALLY_PUBLIC_URL"]
    guard let typed, !typed.isEmpty else { return nil }
    let url: ServerURL
    do {
      url = try ServerURL(typed)
    } catch {
      throw VerbFailure(.usage, "“\(typed.cleanedForDisplay)” is no address.", advice: error.advice)
    }
    guard url.isSecure || insecure || ListenAddress.isLoopback(url.host) else {
      throw VerbFailure(
        .usage, "Without TLS anybody on the way to \(url) can read passwords.",
        advice: "Give an address with https, or --insecure in a network of your own.")
    }
    return url
  }
}
