import Foundation
import NIOCore
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

/// Passwords never travel unencrypted over a public network by accident.
@Suite struct PlainHTTPTests {
  @Test(arguments: [
    "127.0.0.1", "127.255.0.9", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255",
    "192.168.1.7", "169.254.10.1", "100.64.0.1", "100.127.255.255", "0.0.0.0", "::1", "::",
    "fe80::1", "febf::1", "fc00::1", "fdff::1", "::ffff:10.1.2.3",
  ])
  func `these addresses are private`(_ address: String) throws {
    #expect(PlainHTTP.isPrivate(try SocketAddress(ipAddress: address, port: 80)))
  }

  @Test(arguments: [
    "8.8.8.8", "126.255.255.255", "128.0.0.1", "11.0.0.1", "172.15.255.255", "172.32.0.1",
    "192.167.0.1", "192.169.0.1", "169.253.0.1", "100.63.255.255", "100.128.0.1", "203.0.113.9",
    "0.0.0.1", "::2", "2001:db8::1", "fec0::1", "fe00::1", "fbff::1", "fe7f::1",
    "::ffff:8.8.8.8", "64:ff9b::a00:1",
  ])
  func `these addresses are public`(_ address: String) throws {
    #expect(!PlainHTTP.isPrivate(try SocketAddress(ipAddress: address, port: 80)))
  }

  @Test(arguments: [
    "https://203.0.113.9", "http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1",
    "http://[fe80::1]", "http://127.1:1", "http://10.1",
  ])
  func `https goes anywhere, http to private networks`(_ text: String) async throws {
    try await PlainHTTP.require(privacyOf: ServerURL(text))
  }

  // The last two are names for the resolver, which knows short spellings of addresses by itself.
  @Test(arguments: [
    ("http://203.0.113.9", "203.0.113.9"), ("http://[2001:db8::1]:8787", "2001:db8::1"),
    ("http://203.0.28937", "203.0.28937"), ("http://3405803785", "3405803785"),
  ])
  func `http to a public address is refused`(_ text: String, _ host: String) async throws {
    let url = try ServerURL(text)
    await #expect(throws: NetworkError.plainText(host: host)) {
      try await PlainHTTP.require(privacyOf: url)
    }
  }

  @Test func `a name that cannot be looked up is not taken for private`() async throws {
    let url = try ServerURL("http://nobody.invalid")
    await #expect(throws: NetworkError.self) { try await PlainHTTP.require(privacyOf: url) }
  }

  // MARK: - In the client

  @MainActor
  private func services(
    _ url: ServerURL, allowsPlain: Bool, _ gate: TransportGate
  ) throws -> (AppServices, TemporaryFolder) {
    let folder = try TemporaryFolder()
    let services = AppServices(
      folders: try RallyFolders(data: folder.path, environment: [:]),
      server: .remote(url, key: "key", allowsPlain: allowsPlain), transport: gate.transport)
    return (services, folder)
  }

  @Test @MainActor func `a client sends nothing in plain text to a public address`() async throws {
    let url = try ServerURL("http://203.0.113.9")
    let gate = TransportGate(over: nil)
    let (services, folder) = try services(url, allowsPlain: false, gate)
    defer { withExtendedLifetime(folder) {} }

    await #expect(throws: AuthError.network(.plainText(host: url.host))) {
      try await services.authService.signIn(email: "ana@example.org", password: Samples.password)
    }
    #expect(gate.calls(of: "/") == 0)
  }

  @Test @MainActor func `a client that was allowed to does`() async throws {
    let gate = TransportGate(over: nil)
    let (services, folder) = try services(
      ServerURL("http://203.0.113.9"), allowsPlain: true, gate)
    defer { withExtendedLifetime(folder) {} }

    await #expect(throws: (any Error).self) {
      try await services.authService.signIn(email: "ana@example.org", password: Samples.password)
    }
    #expect(gate.calls(of: "/auth/v1/token") == 1)
  }

  @Test func `the permission is remembered for its server alone, once it was given`() async throws {
    let folder = try TemporaryFolder()
    let memory = ServerMemoryService(
      folders: try RallyFolders(data: folder.path, environment: [:]))
    let (one, other) = (try ServerURL("http://203.0.113.9"), try ServerURL("http://203.0.113.10"))

    try await memory.remember(.remote(one, key: "k"))
    #expect(try await memory.chosen() == .remote(one, key: "k"))
    try await memory.remember(.remote(one, key: "k", allowsPlain: true))
    #expect(try await memory.chosen() == .remote(one, key: "k", allowsPlain: true))
    try await memory.remember(.remote(other, key: "k"))
    #expect(try await memory.chosen() == .remote(other, key: "k"))
    #expect(try await memory.allowsPlain(one))
    #expect(try await !memory.allowsPlain(other))
  }
}
