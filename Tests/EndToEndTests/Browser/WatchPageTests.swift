import Foundation
import RallyTestSupport
import RallyWire
import Testing

extension EndToEnd {
  /// The page of a link to watch in a real browser, over TLS on a name: `make test-browser`.
  @Suite(.enabled(if: Browser.program != nil, "Chromium is not installed"))
  struct WatchPageTests {
    private func withBrowser(
      resolving names: [String] = [], _ body: (Browser) async throws -> Void
    ) async throws {
      let browser = try await Browser(resolving: names)
      do {
        try await body(browser)
      } catch {
        await browser.close()
        throw error
      }
      await browser.close()
    }

    /// A server with Ana on it, who is in Lisbon.
    private func group(_ options: String...) async throws -> (served: ServedRally, ana: Home) {
      let served = try await ServedRally(securelyWith: try await TestAuthority())
      let ana = try served.stranger()
      try await ana.must(
        "signup", "--username", "ana", "--display-name", "Ana Pereira", "--invitation",
        served.firstLink(), "--password-stdin", input: Home.password + "\n")
      try await ana.must("location", "set", "Lisbon")
      return (served, ana)
    }

    /// A link that a terminal feeds as long as the command is held.
    private func link(
      of home: Home, _ options: String...
    ) async throws -> (address: String, feed: RunningCommand) {
      let feed = try RunningCommand(
        RallyBinary.required(), ["location", "link"] + options + home.flags,
        environment: home.environment)
      return (try await feed.firstLine(), feed)
    }

    @Test func `a link shows one dot in a browser, and the server never has its key`()
      async throws
    {
      let (served, ana) = try await group()
      let (address, feed) = try await link(of: ana, "--for", "1h")
      defer { feed.signal(SIGKILL) }
      let secret = try #require(address.split(separator: "#").last)
      try await withBrowser { browser in
        let page = try await browser.page()
        try await page.open(address)
        let closed = try await page.text()
        #expect(closed.contains("Somebody shows you where they are"))
        #expect(!closed.contains("Ana"))
        #expect(!page.requests.contains { $0.contains("/stream") })
        try await page.value(of: "document.getElementById('show').click()")
        try await page.wait { "document.getElementById('map').dataset.dot" }
        let dot = try await page.value(of: "document.getElementById('map').dataset.dot").string
        #expect(dot?.hasPrefix("38.7") == true, "\(dot ?? "")")
        #expect(dot?.contains("live") == true)
        let text = try await page.text()
        #expect(text.contains("Ana Pereira is in Lisbon"))
        #expect(text.contains("Shown until "))
        // The key left the address bar, and was in no request but for the fragment of the first.
        #expect(
          try await page.value(of: "location.href") == .string("\(served.announcement.url)/w"))
        #expect(
          page.requests.filter { $0.contains(secret) }
            == ["GET \(served.announcement.url)/w#\(secret)"])
        #expect(page.requests.allSatisfy { $0.contains(" \(served.announcement.url)/w") })
        #expect(page.complaints.filter { $0.contains("Content Security Policy") } == [])
        let key = String(secret.dropFirst(16))
        #expect(!served.command.snapshot.errorText.contains(key))
        #expect(try await ana.must("location", "link", "list").output.contains("1 have it open"))

        // A reload finds the key in this tab.
        try await page.call("Page.reload")
        try await page.wait { "document.getElementById('map').dataset.dot" }
        // Ended by its maker, nothing is shown any more.
        try await ana.must("location", "link", "end")
        try await page.wait { "!document.getElementById('problem').hidden" }
        #expect(try await page.text().contains("This link has ended"))
        #expect(try await page.value(of: "document.getElementById('map').dataset.dot") == "")
        #expect(try await !page.text().contains("Lisbon"))
      }
    }
  }
}
