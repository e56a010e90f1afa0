import Testing

@testable import RallyRules
@testable import RallyServer

@Suite struct ClientAddressTests {
  private func group(_ text: String) -> ClientAddress? { ClientAddress(text)?.group }

  @Test func `sixty-four bits of IPv6 are one, an address of IPv4 is its own`() {
    #expect(group("2001:db8:1:2::1") == group("2001:db8:1:2:ffff::9"))
    #expect(group("2001:db8:1:2::1") != group("2001:db8:1:3::1"))
    #expect(group("192.0.2.1") != group("192.0.2.2"))
    #expect(group("::ffff:192.0.2.1") == group("192.0.2.1"))
    #expect(ClientAddress("here") == nil)
  }

  @Test func `only a trusted proxy says who is asking`() {
    let proxies = TrustedProxies(["10.0.0.1", "10.0.0.2"])
    func client(_ peer: String, _ header: String?) -> ClientAddress? {
      proxies.client(peer: ClientAddress(peer), forwardedFor: header)
    }
    #expect(client("192.0.2.1", "203.0.113.5") == ClientAddress("192.0.2.1"))
    #expect(client("10.0.0.1", "203.0.113.5") == ClientAddress("203.0.113.5"))
    #expect(client("10.0.0.1", nil) == ClientAddress("10.0.0.1"))
    // What the client wrote itself stands first.
    #expect(client("10.0.0.1", "198.51.100.7, 203.0.113.5") == ClientAddress("203.0.113.5"))
    #expect(client("10.0.0.1", "203.0.113.5, 10.0.0.2") == ClientAddress("203.0.113.5"))
    #expect(client("10.0.0.1", "[2001:db8::1]:443") == ClientAddress("2001:db8::1"))
    #expect(client("10.0.0.1", "203.0.113.5:1234") == ClientAddress("203.0.113.5"))
    #expect(client("10.0.0.1", "unknown") == ClientAddress("10.0.0.1"))
  }

  @Test func `a neighbour of a trusted proxy is not one`() {
    let proxies = TrustedProxies(["2001:db8::1"])
    #expect(!proxies.contains(ClientAddress("2001:db8::2")))
  }
}
