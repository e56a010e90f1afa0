import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain

@Suite struct InvitationWayTests {
  private let settings = AuthSettings(policy: .open, publicURL: "https://rally.example.org")

  @Test func `a server that says how it is reached makes links for everybody, also for guests`()
    throws
  {
    let code = try InvitationCode("7QK2MX9PTFH3W8RT")
    let local = ServerChoice.remote(try ServerURL("http://127.0.0.1:8787"), key: "k")
    for isGuest in [false, true] {
      let way = InvitationWay(server: local, settings: settings, isGuest: isGuest)
      #expect(way.text(of: code) == "https://rally.example.org/i#7QK2MX9PTFH3W8RT")
      #expect(way.isLink)
      #expect(way.limit == nil)
    }
  }

  @Test func `without that it is a link for terminals, or the code, and it says why`()
    throws
  {
    let code = try InvitationCode("7QK2MX9PTFH3W8RT")
    let server = ServerChoice.remote(try ServerURL("https://rally.example.org"), key: "k")
    let silent = AuthSettings(policy: .open, ssh: "ssh rally@host")
    let way = InvitationWay(server: server, settings: silent)
    #expect(way.text(of: code) == InvitationLink(code: code, from: server).description)
    #expect(way.limit == .noPublicURL)
    #expect(way.ssh == "ssh rally@host")
    // What was not asked is not said.
    #expect(InvitationWay(server: server, settings: nil).limit == nil)
    let guest = InvitationWay(server: server, settings: silent, isGuest: true)
    #expect(guest.text(of: code) == "7QK2-MX9P-TFH3-W8RT")
    #expect(!guest.isLink)
    let embedded = InvitationWay(server: .embedded, settings: nil)
    #expect(embedded.text(of: code) == "7QK2-MX9P-TFH3-W8RT")
    #expect(embedded.limit == .thisMachine)
    // A server may not send a stranger anywhere but to an address.
    let odd = InvitationWay(
      server: server, settings: AuthSettings(policy: .open, publicURL: "javascript:alert(1)"))
    #expect(odd.text(of: code) == way.text(of: code))
  }
}
