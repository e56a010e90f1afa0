import Foundation
import RallyCommand
import RallyDomain
import RallyRules
import RallyServer
import RallyText
import RallyWire

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
