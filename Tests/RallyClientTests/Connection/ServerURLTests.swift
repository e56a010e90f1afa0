import RallyWire
import Testing

@testable import RallyClient

@Suite struct ServerURLTests {
  @Test(arguments: [
    ("https://Rally.Example.org/", "https://rally.example.org"),
    ("rally.example.org", "https://rally.example.org"),
    ("http://127.0.0.1:4000", "http://127.0.0.1:4000"),
    ("localhost:4000", "http://localhost:4000"),
    ("https://a.example:443/base/", "https://a.example/base"),
    ("http://[::1]:4000", "http://[::1]:4000"),
  ])
  func `an address is read in one spelling`(typed: String, expected: String) throws {
    #expect(try ServerURL(typed).description == expected)
  }

  @Test(arguments: [
    "", "ftp://a.example", "https://", "https://user:pass@a.example", "https://a.example?x=1",
    "https://a b", "https://münchen.example", "https://a%20b",
  ])
  func `what is no address is answered on the field`(typed: String) {
    #expect(throws: FieldProblem.self) { try ServerURL(typed) }
  }

  @Test func `a host is checked here, whatever the library takes`() {
    for host in ["a.example", "xn--mnchen-3ya.example", "10.0.0.1", "[::1]", "[fe80::1%eth0]"] {
      #expect(ServerURL.isHost(host))
    }
    for host in ["", "a b", "münchen.example", "a/b", "a\n", "a@b"] {
      #expect(!ServerURL.isHost(host), "\(host)")
    }
  }
}
