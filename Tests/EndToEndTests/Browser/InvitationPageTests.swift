import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// The page of an invitation in a real browser, over TLS on a name: `make test-browser`.
  @Suite(.enabled(if: Browser.program != nil, "Chromium is not installed"))
  struct InvitationPageTests {
    /// A name that only the browser knows.
    private static let name = "rally.example.test"

    private func withBrowser(_ body: (Browser) async throws -> Void) async throws {
      let browser = try await Browser(resolving: [Self.name])
      do {
        try await body(browser)
      } catch {
        await browser.close()
        throw error
      }
      await browser.close()
    }

    /// A server with Ana on it.
    private func group(
      _ authority: TestAuthority, ssh: String = "rally@localhost:2222"
    ) async throws -> (served: ServedRally, ana: Home) {
      let served = try await ServedRally(
        securelyWith: authority, named: Self.name, "--public-ssh", ssh)
      // The name leads nowhere on this machine: her client takes the code alone.
      let ana = try served.home()
      let code = try await String(served.firstLink().suffix(16))
      try await ana.must(
        "signup", "--email", "ana@example.org", "--username", "ana", "--display-name",
        "Ana Pereira", "--invitation", code,
        "--password-stdin", input: Home.password + "\n")
      return (served, ana)
    }

    @Test func `a link says who invites after one key, and keeps its code to itself`() async throws
    {
      let (served, ana) = try await group(try await TestAuthority())
      let link = try await ana.must("invite").output.trimmingCharacters(in: .newlines)
      let code = String(link.suffix(16))
      try await withBrowser { browser in
        let page = try await browser.page()
        try await page.open(link)
        let closed = try await page.text()
        #expect(closed.contains("Somebody invites you to their group."))
        #expect(!closed.contains("Ana"))
        // The code left the address bar before anything was asked.
        #expect(
          try await page.value(of: "location.href") == .string("\(served.publicURL)/i"))
        #expect(try await ana.must("invite", "list", "--json").json().array?.first?["used"] == 0)

        try await page.press("Tab", code: 9)
        try await page.press("Enter", code: 13)
        try await page.wait { "!document.getElementById('open').hidden" }
        let open = try await page.text()
        #expect(open.contains("Ana Pereira (@ana) invites you to be friends"))
        #expect(open.contains("rally '\(link)'"))
        #expect(open.contains("ssh -p 2222 rally@localhost"))
        // What a screen reader reads next.
        #expect(try await page.value(of: "document.activeElement.id") == "who")
        #expect(
          page.requests.filter { $0.contains(code) } == ["GET \(served.publicURL)/i#\(code)"]
        )
        #expect(page.requests.contains("POST \(served.publicURL)/i"))

        try await browser.call(
          "Browser.grantPermissions",
          ["permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]])
        try await page.value(of: "document.getElementById('copy').click()")
        try await page.wait { "document.getElementById('copied').textContent" }
        #expect(page.complaints.filter { $0.contains("Content Security Policy") } == [])
        #expect(!served.command.snapshot.errorText.contains(code))
      }
    }

    @Test func `a mission's page has title and day, as text, on every screen and in the dark`()
      async throws
    {
      let (_, ana) = try await group(try await TestAuthority())
      let title = "Fog <img src=x onerror=alert(1)> run"
      try await ana.must("missions", "new", "--title", title, "--at", "38.7,-9.1")
      let link = try await ana.must("invite", "create", "--mission", "Fog").output
        .trimmingCharacters(in: .newlines)
      try await withBrowser { browser in
        let page = try await browser.page()
        try await page.call(
          "Emulation.setDeviceMetricsOverride",
          ["width": 320, "height": 640, "deviceScaleFactor": 1, "mobile": true])
        try await page.open(link)
        try await page.value(of: "document.getElementById('show').click()")
        try await page.wait { "!document.getElementById('open').hidden" }
        let text = try await page.text()
        #expect(text.contains("Ana Pereira (@ana) invites you to \(title)"))
        #expect(text.contains("It is on "))
        #expect(!text.contains("38.7"))
        #expect(try await page.value(of: "document.querySelectorAll('img').length") == 0)
        #expect(
          try await page.value(of: "document.documentElement.scrollWidth <= window.innerWidth")
            == true)
        for (scheme, colour) in [("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 23, 27)")] {
          try await page.call(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": .string(scheme)]]])
          #expect(
            try await page.value(of: "getComputedStyle(document.body).backgroundColor")
              == .string(colour))
        }
      }
    }

    @Test func `a link that is cut, and one that is over, say so`() async throws {
      let (served, _) = try await group(try await TestAuthority())
      try await withBrowser { browser in
        let page = try await browser.page()
        try await page.open("\(served.publicURL)/i#7QK2")
        #expect(try await page.text().contains("This link is cut or changed."))
        try await page.open("\(served.publicURL)/i?x#0000000000000000")
        try await page.value(of: "document.getElementById('show').click()")
        try await page.wait { "!document.getElementById('problem').hidden" }
        #expect(try await page.text().contains("This invitation is not open"))
        try await page.open("\(served.publicURL)/i?y")
        #expect(try await page.text().contains("Open the link again."))
      }
    }
  }
}
