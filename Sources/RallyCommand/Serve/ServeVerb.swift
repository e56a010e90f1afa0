import ArgumentParser
import Logging
import RallyWire

/// Runs a server for a group, or the embedded one, which the client starts with a hidden flag.
package struct ServeVerb: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run a server for a group.",
    discussion: """
      Prints its address and its API key once it is ready, and stops cleanly on SIGTERM or ^C. \
      The data lies in --data, or in the data folder that the embedded server uses. SIGHUP has it \
      read its certificate again.
      """,
    subcommands: [
      ServeInviteVerb.self, ServeUsers.self, ServeBackup.self, ServeRestore.self, ServeCheck.self,
      ServeMove.self,
      ServeRotateSecretVerb.self, ServeAuditVerb.self, ServeBudgetsVerb.self, ServeHealthVerb.self,
      ServeSSH.self,
    ])

  @OptionGroup package var global: GlobalOptions
  @Option(help: "The address to listen on; 0.0.0.0 for everybody.")
  package var host = "127.0.0.1"
  @Option(help: "The port; 0 lets the system choose.") package var port = 8787
  @OptionGroup package var place: ServeDatabase
  @OptionGroup package var connection: ServeConnectionOptions
  @OptionGroup package var address: ServePublicAddress
  @OptionGroup package var operation: ServeOptions
  @Flag(help: .hidden) package var embedded = false
  @Option(help: .hidden) package var socket: String?

  package init() {}
}

/// A verb that `rally-server` performs.
///
/// Its options are declared here and not there, so that `rally` has them too: for help,
/// completions, the manual and mistyped words.
package protocol ServerVerb: ParsableCommand {}

/// How a server is run, monitored and stopped.
package struct ServeOptions: ParsableArguments {
  /// How log lines are written.
  package enum LogStyle: String, CaseIterable, ExpressibleByArgument {
    case text, json
  }

  @Option(help: "Who may make an account: open, invited (with a member's code) or closed.")
  package var signup = SignUpPolicy.open

  @Option(help: "Write the log as text or as json, one entry a line, on standard error.")
  package var logFormat = LogStyle.text

  @Option(help: "What to log: debug, info (every request), notice, warning or error.")
  package var logLevel = Logger.Level.warning

  @Option(help: "Answer /metrics and /health on this port as well; 0 lets the system choose.")
  package var metricsPort: Int?

  @Option(help: "The address of --metrics-port; keep it where only you can ask.")
  package var metricsHost = "127.0.0.1"

  @Option(help: "Seconds in which requests may be finished once the server is asked to end.")
  package var drain = 10

  @Option(
    help: ArgumentHelp(
      "Change a budget; may be given several times. `rally serve budgets` lists them.",
      valueName: "name=value"))
  package var budget: [String] = []

  @Option(
    help: ArgumentHelp(
      "Offer streets to the group: a PMTiles file, taken by `rally map add --from-server`.",
      valueName: "file"), completion: .file(extensions: ["pmtiles"]))
  package var streets: String?

  package init() {}

  package func validate() throws {
    if let metricsPort, !(0...65_535).contains(metricsPort) {
      throw ValidationError("There is no port \(metricsPort); give one up to 65535.")
    }
    guard (0...3600).contains(drain) else {
      throw ValidationError("--drain takes 0 to 3600 seconds.")
    }
  }
}

extension SignUpPolicy: ExpressibleByArgument {}
extension Logger.Level: @retroactive ExpressibleByArgument {}

/// The network options of a server: its certificate, its trusted proxies, its SSH door.
package struct ServeConnectionOptions: ParsableArguments {
  @Option(
    help: "The certificate and its chain, PEM (also RALLY_TLS_CERTIFICATE).",
    completion: .file())
  package var tlsCertificate: String?

  @Option(help: "Its private key, PEM (also RALLY_TLS_KEY).", completion: .file())
  package var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "Trust this proxy's X-Forwarded-For header; may be given several times.",
      valueName: "address"))
  package var trustedProxy: [String] = []

  @Option(
    help: ArgumentHelp(
      "How the group reaches its SSH door, which invitations then name (also RALLY_PUBLIC_SSH).",
      valueName: "user@host:port"))
  package var publicSSH: String?

  @Flag(help: .hidden) package var noLimits = false

  package init() {}
}

/// How a server is reached. An option of its own, which `serve` and its subcommands share: of two with
/// one name only the first would get the value.
package struct ServePublicAddress: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How the group reaches this server, so that invitations are links (also RALLY_PUBLIC_URL).",
      valueName: "url"))
  package var publicURL: String?

  package init() {}
}

/// Where a server's data are stored. One option group for `rally serve` and its verbs: if two
/// commands of a hierarchy declare the same option separately, the parser sets it in the first one
/// only.
package struct ServeDatabase: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The PostgreSQL database of the server (also RALLY_DATABASE).",
      discussion: "A password belongs into RALLY_DATABASE, PGPASSWORD or ~/.pgpass.",
      valueName: "postgres://…"))
  package var database: String?

  @Option(
    help: ArgumentHelp(
      "The file of the key that encrypts the server's keys in the PostgreSQL database.",
      discussion: """
        Made at the first start. Servers of one database share this file and need no other; \
        without it each has its keys in --data.
        """, valueName: "file"),
    completion: .file())
  package var encryptionKey: String?

  package init() {}
}
