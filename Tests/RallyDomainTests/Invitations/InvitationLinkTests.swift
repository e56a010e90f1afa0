import RallyWire
import Testing

@testable import RallyClient
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

  private static let link = "https://rally.example.org/i#7QK2MX9PTFH3W8RT"

  @Test(arguments: [
    link, "<\(link)>", "(\(link))", "\(link).", "\(link)).", "*\(link)*", "“\(link)”",
    "HTTPS://Rally.Example.ORG/i#7qk2-mx9p-tfh3-w8rt",
    "http://rally.example.org/i#7QK2MX9PTFH3W8RT",
    "http://rally.example.org:80/i/#7QK2MX9PTFH3W8RT",
    "https%3A%2F%2Frally.example.org%2Fi%237QK2MX9PTFH3W8RT",
    "https://rally.example.org/i%237QK2MX9PTFH3W8RT",
    "\(link)?utm_source=chat", "\(link)&fbclid=x", "rally.example.org/i#7QK2MX9PTFH3W8RT",
    "Come along!\n\(link)\nsee you", "\(link) \(link)",
    "https://l.chat.example/?u=https%3A%2F%2Frally.example.org%2Fi%237QK2MX9PTFH3W8RT&h=AT1",
    "look at https://example.org/page and \(link)!",
  ])
  func `a link is understood as messengers make it`(text: String) throws {
    let link = try InvitationLink(text)
    #expect(link.code.value == "7QK2MX9PTFH3W8RT")
    #expect(try link.server == ServerURL("https://rally.example.org"))
    #expect(InvitationLink.isLink(text))
  }

  @Test func `a link has its server's path and port, and is written for browsers and terminals`()
    throws
  {
    let url = try ServerURL("https://example.org:8443/rally")
    let code = try InvitationCode("7QK2MX9PTFH3W8RT")
    let text = InvitationLink.web(code, at: url)
    #expect(text == "https://example.org:8443/rally/i#7QK2MX9PTFH3W8RT")
    let link = try InvitationLink(text)
    #expect(link == InvitationLink(code: code, server: url))
    #expect(
      link.description
        == "rally://invite/7QK2MX9PTFH3W8RT?server=https%3A%2F%2Fexample.org%3A8443%2Frally")
    #expect(try InvitationLink(link.description) == link)
    #expect(link.isFrom(.remote(url, key: "k")))
    #expect(!link.isFrom(.embedded))
    let other = try ServerURL("https://example.net")
    #expect(link.isFrom(.remote(other, key: "k", others: [url])))
    // On this machine and at home http may be meant.
    for host in ["127.0.0.1:8787", "localhost:8787", "192.168.1.5"] {
      let near = try InvitationLink("http://\(host)/i#7QK2MX9PTFH3W8RT")
      #expect(try near.server == ServerURL("http://\(host)"))
      #expect(near.plainServer == nil)
    }
  }

  @Test(arguments: [
    ("https://rally.example.org/i#7QK2MX9P", "is cut"), ("https://rally.example.org/i", "is cut"),
    ("https://rally.example.org/i/", "is cut"), ("https://rally.example.org/i#", "is cut"),
    ("https://rally.example.org/i#7QK2MX9PTF", "is cut"),
    ("\(link) https://rally.example.org/i#0000000000000000", "two invitations"),
    ("https://user:pass@rally.example.org/i#7QK2MX9PTFH3W8RT", "names no server"),
    ("https://example.org/i/more#7QK2MX9PTFH3W8RT?x=/i#", "is no invitation"),
    ("https://example.org/x/i#7QK2 and more", "is cut"),
  ])
  func `a wrong link says what is the matter`(text: String, says: String) {
    do {
      Issue.record("taken: \(try InvitationLink(text))")
    } catch {
      #expect(error.advice.contains(says), "\(error.advice)")
      // What to do about it, in the same breath.
      #expect(
        error.advice.contains("Ask whoever invites you")
          || error.advice.contains("Paste the one that you mean"))
    }
  }

  @Test func `a link of the terminal is found within other text too`() throws {
    let text = "Come! <rally://invite/7QK2MX9PTFH3W8RT?server=https%3A%2F%2Frally.example.org>"
    #expect(InvitationLink.isLink(text))
    #expect(try InvitationLink(text).server == ServerURL("https://rally.example.org"))
  }

  @Test(arguments: ["https://example.org/", "friends", "--server", "7QK2MX9PTFH3W8RT", ""])
  func `other words are no links`(text: String) { #expect(!InvitationLink.isLink(text)) }

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
