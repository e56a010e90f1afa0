import Foundation
import NIOSSL
import RallyServer
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyRules

/// The client over TLS, against the real server with certificates of an authority of its own.
@Suite struct SecureTransportTests {
  /// Runs `body` with a server that shows `files`, and a client's transport that trusts `authority`.
  private func serving(
    _ files: CertificateFiles, trusting authority: TestAuthority?,
    _ body: (TestServer, LiveTransport) async throws -> Void
  ) async throws {
    let transport = Self.transport(trusting: authority)
    do {
      try await TestServer.with(configure: { $0.certificate = files }) { server in
        try await body(server, transport)
      }
    } catch {
      try await transport.shutdown()
      throw error
    }
    try await transport.shutdown()
  }

  private static func transport(trusting authority: TestAuthority?) -> LiveTransport {
    LiveTransport(
      tls: TrustedAuthorities.configuration(
        environment: authority.map { ["SSL_CERT_FILE": $0.path] } ?? [:]))
  }

  private func health(
    _ server: TestServer, _ transport: LiveTransport, host: String = "127.0.0.1"
  ) async throws -> Int {
    try await transport.send(
      HTTPCall(
        endpoint: endpoint(server, host: host), method: .get, path: "/auth/v1/health",
        headers: [("apikey", server.key)])
    ).status
  }

  private func socket(
    _ server: TestServer, _ transport: LiveTransport, host: String = "127.0.0.1"
  ) async throws -> SocketLink {
    try await transport.openSocket(
      SocketCall(
        endpoint: endpoint(server, host: host),
        path: "\(RealtimeTopic.path)?apikey=\(server.key)&vsn=1.0.0"))
  }

  private func endpoint(_ server: TestServer, host: String) throws -> ServerEndpoint {
    .url(try ServerURL(server.url.replacing("127.0.0.1", with: host)))
  }

  /// Says something over a socket and waits for the answer.
  private func heartbeat(_ link: SocketLink) async -> String? {
    link.send(#"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"7"}"#)
    for await text in link.incoming { return text }
    return nil
  }

  // MARK: - Trusted

  @Test(arguments: ["127.0.0.1", "localhost"])
  func `requests and sockets are encrypted for whoever trusts the authority`(
    host: String
  ) async throws {
    let authority = try await TestAuthority()
    try await serving(authority.certificate(), trusting: authority) { server, transport in
      #expect(server.url.hasPrefix("https://"))
      #expect(try await health(server, transport, host: host) == 200)
      let link = try await socket(server, transport, host: host)
      #expect(await heartbeat(link)?.contains(#""ref":"7""#) == true)
      link.close()
    }
  }

  @Test func `authorities are parsed for an encrypted connection only`() async throws {
    let authority = try await TestAuthority()
    let configuration = TrustedAuthorities.configuration(
      environment: ["SSL_CERT_FILE": authority.path])
    #expect(configuration.additionalTrustRoots == [.file(authority.path)])
  }

  @Test(arguments: ["", "/nowhere/authorities.pem", "/dev/null"])
  func `a file of authorities that holds none refuses nothing`(path: String) throws {
    _ = try NIOSSLContext(
      configuration: TrustedAuthorities.configuration(environment: ["SSL_CERT_FILE": path]))
  }

  @Test func `whoever speaks plainly to it is not answered, and told to use https`() async throws {
    let authority = try await TestAuthority()
    try await serving(authority.certificate(), trusting: authority) { server, transport in
      let plain = try ServerURL(server.url.replacing("https", with: "http"))
      let moved = NetworkError.moved(to: try ServerURL(server.url), isSameHost: true)
      await #expect(throws: moved) {
        try await transport.send(
          HTTPCall(endpoint: .url(plain), method: .get, path: "/auth/v1/health"))
      }
      await #expect(throws: moved) {
        try await transport.openSocket(SocketCall(endpoint: .url(plain), path: "/"))
      }
      #expect(moved.sentence == "The server is at \(server.url). Use that address.")
    }
  }

  @Test func `whoever speaks TLS to a plain server is told that it is plain`() async throws {
    try await TestServer.with { server in
      let transport = Self.transport(trusting: nil)
      let secure = try ServerURL(server.url.replacing("http", with: "https"))
      let moved = NetworkError.moved(to: try ServerURL(server.url), isSameHost: true)
      await #expect(throws: moved) {
        try await transport.send(
          HTTPCall(endpoint: .url(secure), method: .get, path: "/auth/v1/health"))
      }
      #expect(moved.sentence.contains("Only plain http is spoken there"))
      try await transport.shutdown()
    }
  }

  @Test func `a plain server that breaks connections later is not taken for one with TLS`()
    async throws
  {
    try await ScriptedServer.with(ScriptedServer.Script(opening: "SSH-2.0-x\r\n")) { server in
      let transport = Self.transport(trusting: nil)
      await #expect(throws: NetworkError.notTheServer(status: nil)) {
        try await transport.send(
          HTTPCall(endpoint: try server.endpoint(), method: .get, path: "/"))
      }
      try await transport.shutdown()
    }
  }

  // MARK: - Refused in words

  private func refusals(
    _ files: CertificateFiles, trusting authority: TestAuthority?
  ) async throws -> [NetworkError] {
    var refusals: [NetworkError] = []
    try await serving(files, trusting: authority) { server, transport in
      do {
        _ = try await health(server, transport)
      } catch let error as NetworkError {
        refusals.append(error)
      }
      do {
        _ = try await socket(server, transport)
      } catch let error as NetworkError {
        refusals.append(error)
      }
    }
    return refusals
  }

  @Test func `an unknown authority is refused and named`() async throws {
    let authority = try await TestAuthority()
    let refusals = try await refusals(authority.certificate(), trusting: nil)
    #expect(
      refusals == [.untrusted(.unknownAuthority), .untrusted(.unknownAuthority)])
    #expect(refusals.first?.sentence.contains("SSL_CERT_FILE") == true)
  }

  @Test func `a certificate of another name is refused and named`() async throws {
    let authority = try await TestAuthority()
    let refusals = try await refusals(
      authority.certificate(for: ["DNS:other.example"]), trusting: authority)
    #expect(refusals == [.untrusted(.otherName), .untrusted(.otherName)])
    #expect(
      refusals.first?.sentence
        == "The server's certificate is for another name. Check the address.")
  }

  @Test func `a certificate that has ended is refused with its day`() async throws {
    let authority = try await TestAuthority()
    let refusals = try await refusals(authority.certificate(days: -1), trusting: authority)
    let yesterday = Date.now.addingTimeInterval(-86_400).formatted(.iso8601.year().month().day())
    #expect(refusals.count == 2)
    for refusal in refusals {
      guard case .untrusted(.ended) = refusal else {
        Issue.record("\(refusal)")
        continue
      }
      #expect(refusal.sentence.contains("ended on \(yesterday)"))
      #expect(refusal.isOffline)
    }
  }

  @Test func `a server that knows only an old TLS is refused and named`() async throws {
    let authority = try await TestAuthority()
    let files = try await authority.certificate()
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMFile(files.certificate).map {
        .certificate($0)
      },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem)))
    configuration.minimumTLSVersion = .tlsv1
    configuration.maximumTLSVersion = .tlsv11
    let tls = try NIOSSLContext(configuration: configuration)
    try await ScriptedServer.with(ScriptedServer.Script(), tls: tls) { server in
      let transport = Self.transport(trusting: authority)
      let endpoint = try server.endpoint("https")
      await #expect(throws: NetworkError.untrusted(.oldVersion("TLS 1.1"))) {
        try await transport.send(HTTPCall(endpoint: endpoint, method: .get, path: "/"))
      }
      await #expect(throws: NetworkError.untrusted(.oldVersion("TLS 1.1"))) {
        try await transport.openSocket(SocketCall(endpoint: endpoint, path: "/"))
      }
      try await transport.shutdown()
    }
    #expect(
      TrustProblem.oldVersion("TLS 1.1").sentence
        .hasPrefix("The server offers only TLS 1.1; at least TLS 1.2 is needed."))
  }

  // MARK: - Renewal

  @Test func `a new certificate is for new connections, old ones live on`() async throws {
    let (first, second) = (try await TestAuthority(), try await TestAuthority())
    let files = try await first.certificate()
    try await serving(files, trusting: first) { server, transport in
      let link = try await socket(server, transport)
      let renewed = try await second.certificate()
      try replace(files, by: renewed)

      #expect(server.server.reload() == [])

      let another = Self.transport(trusting: second)
      #expect(try await health(server, another) == 200)
      try await another.shutdown()
      await #expect(throws: NetworkError.untrusted(.unknownAuthority)) {
        _ = try await health(server, transport)
      }
      #expect(await heartbeat(link)?.contains(#""ref":"7""#) == true)
      link.close()
    }
  }

  @Test func `a broken new pair is refused in words and the old one stays`() async throws {
    let authority = try await TestAuthority()
    let files = try await authority.certificate()
    try await serving(files, trusting: authority) { server, transport in
      let (other, old) = (
        try await authority.certificate(name: "other"),
        try await authority.certificate(days: -1, name: "old")
      )
      try replace(files, by: CertificateFiles(certificate: files.certificate, key: other.key))
      #expect(server.server.reload().first?.contains("does not belong to") == true)
      try replace(files, by: old)
      #expect(server.server.reload().first?.contains("ended on") == true)
      try Data("nothing".utf8).write(to: URL(filePath: files.certificate))
      let problems = server.server.reload()
      #expect(problems.first?.contains("There is no certificate in") == true)
      #expect(problems.first?.contains("The former certificate stays in use.") == true)
      #expect(try await health(server, transport) == 200)
    }
  }

  private func replace(_ files: CertificateFiles, by others: CertificateFiles) throws {
    for (path, other) in [(files.certificate, others.certificate), (files.key, others.key)]
    where path != other {
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.copyItem(atPath: other, toPath: path)
    }
  }
}
