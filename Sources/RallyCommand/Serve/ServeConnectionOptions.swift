import ArgumentParser

/// The network options of a server: its certificate and its trusted proxies.
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

  @Flag(help: .hidden) package var noLimits = false

  package init() {}
}
