import ArgumentParser

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
