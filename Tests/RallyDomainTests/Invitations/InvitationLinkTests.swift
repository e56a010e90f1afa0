import RallyWire
import Testing

@testable import RallyDomain

@Suite struct InvitationLinkTests {
  @Test func `a link names its code and its server, and is read back`() throws {
    let url = try ServerURL("https://rally.example.org:8443/group")
    let code = try InvitationCode("7QK2MX9PTF")
    let link = InvitationLink(code: code, from: .remote(url, key: "k"))
    #expect(
      link.description
        == "rally://invite/7QK2MX9PTF?server=https%3A%2F%2Frally.example.org%3A8443%2Fgroup")
    #expect(try InvitationLink(link.description) == link)
    #expect(
      try InvitationLink("  Rally://Invite/7qk2m-x9ptf?a=b&server=rally.example.org").server
        == ServerURL("https://rally.example.org"))
    let own = InvitationLink(code: code, from: .embedded)
    #expect(own.description == "rally://invite/7QK2MX9PTF")
    #expect(try InvitationLink("7qk2mx9ptf") == own)
  }

  @Test(arguments: [
    "", "rally://invite/", "7QK2M", "rally://invite/7QK2MX9PTF?server=ftp://a",
    "https://example.org/7QK2MX9PTF",
  ])
  func `something else is refused with what to type`(text: String) {
    #expect(throws: FieldProblem.self) { try InvitationLink(text) }
  }

  @Test func `only a link is taken for one where a verb could stand`() {
    #expect(InvitationLink.isLink("RALLY://invite/x"))
    #expect(!InvitationLink.isLink("invite"))
    #expect(!InvitationLink.isLink("7QK2MX9PTF"))
  }
}
