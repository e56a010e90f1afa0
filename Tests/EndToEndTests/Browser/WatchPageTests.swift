import Foundation
import RallyTestSupport
import RallyText
import RallyWatch
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
        try await page.wait { "document.getElementById('map')?.dataset.dot" }
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
        try await page.wait { "document.getElementById('map')?.dataset.dot" }
        // What is said in another process reaches the page with the next beat.
        try await page.value(
          of: """
            globalThis.delays = [];
            let sentAt = place.sent_at;
            new MutationObserver(() => {
              if (!place || place.sent_at === sentAt) return;
              sentAt = place.sent_at;
              delays.push(Date.now() - Date.parse(sentAt));
            }).observe(
              document.getElementById('map'), { attributes: true, attributeFilter: ['data-dot'] });
            """)
        try await ana.must("location", "set", "Porto")
        try await page.wait {
          "document.getElementById('map')?.dataset.dot?.startsWith('41.1')"
        }
        // A machine that is busy with other tests may miss it once.
        try await page.wait { "delays.some((delay) => delay < 2000)" }
        print("Beats were shown after ms: \(try await page.value(of: "delays.join()"))")
        // Ended by its maker, nothing is shown any more.
        try await ana.must("location", "link", "end")
        try await page.wait { "!document.getElementById('problem').hidden" }
        #expect(try await page.text().contains("This link has ended"))
        #expect(try await page.value(of: "document.getElementById('map').dataset.dot") == "")
        #expect(try await !page.text().contains("Porto"))
      }
    }

    @Test func `it ends on its time, and opens with no other key, cut or over http`() async throws {
      let (_, ana) = try await group()
      let (address, feed) = try await link(of: ana, "--for", "1m", "--precision", "area")
      defer { feed.signal(SIGKILL) }
      try await withBrowser { browser in
        func open(_ address: String) async throws -> BrowserPage {
          let page = try await browser.page()
          try await page.open(address)
          return page
        }
        func text(_ page: BrowserPage) async throws -> String {
          try await page.value(of: "document.getElementById('show').click()")
          try await page.wait { "!document.getElementById('problem').hidden" }
          return try await page.text()
        }
        let page = try await open(address)
        try await page.value(of: "document.getElementById('show').click()")
        try await page.wait { "document.getElementById('map')?.dataset.dot" }
        #expect(try await page.text().contains("Ana Pereira is within about 1 km of this point"))
        // The last character but one is of the key in any case.
        let last = address.dropLast(2).last ?? "0"
        let other = "\(address.dropLast(3))\(last == "0" ? "1" : "0")\(address.suffix(2))"
        #expect(try await text(open(other)).contains("its key does not open what comes"))
        let cut = try await open(String(address.dropLast()))
        #expect(try await cut.text().contains("This link is cut or changed."))
        let start = try #require(address.firstIndex(of: "#"))
        let unknown = "\(address[...start])\(String(repeating: "0", count: 68))"
        #expect(try await text(open(unknown)).contains("This link has ended"))
        try await page.wait { "!document.getElementById('problem').hidden" }
        #expect(try await page.text().contains("This link has ended"))
        #expect(try await page.value(of: "document.getElementById('map').dataset.dot") == "")
      }
    }

    @Test func `a hidden page closes its stream, and an offline or old place is said to be one`()
      async throws
    {
      let (_, ana) = try await group()
      let (address, feed) = try await link(of: ana, "--for", "1h")
      defer { feed.signal(SIGKILL) }
      try await withBrowser { browser in
        let page = try await browser.page()
        try await page.open(address)
        try await page.value(of: "document.getElementById('show').click()")
        try await page.wait { "document.getElementById('map')?.dataset.dot" }
        func expectWatchers(_ count: Int) async throws {
          try await eventually("\(count) watch") {
            try await ana.must("location", "link", "list").output.contains("\(count) have it open")
          }
        }
        func hide(_ isHidden: Bool) async throws {
          try await page.value(
            of: """
              Object.defineProperty(document, 'hidden', { get: () => \(isHidden), configurable: true });
              document.dispatchEvent(new Event('visibilitychange'));
              """)
        }
        try await expectWatchers(1)
        try await hide(true)
        try await expectWatchers(0)
        #expect(try await page.value(of: "Boolean(source || poll)") == false)
        try await hide(false)
        try await expectWatchers(1)

        try await page.setOnline(false)
        let offline = "You are offline: this is the last that came."
        try await page.wait { "document.body.innerText.includes('\(offline)')" }
        #expect(try await page.text().contains("Ana Pereira is in Lisbon"))
        try await page.setOnline(true)
        try await page.wait { "!document.body.innerText.includes('\(offline)') && source" }

        // Sixteen minutes later, without another message.
        try await page.value(
          of: "pause(); Date.now = ((now) => () => now() + 16 * 60000)(Date.now); update()")
        #expect(try await page.text().contains("Ana Pereira was in Lisbon, 16 minutes ago"))
        #expect(try await page.text().contains("This place is old."))
        let dot = try await page.value(of: "document.getElementById('map').dataset.dot").string
        #expect(dot?.contains("old") == true, "\(dot ?? "")")
      }
    }

    @Test
    func `the streets of the terminal's archive are on the map of a narrow screen, light and dark`()
      async throws
    {
      let (served, ana) = try await group()
      let archive = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../RallyStreetsTests/Fixtures/monaco.pmtiles")
      try await ana.must("map", "add", archive.path)
      try await ana.must("location", "set", "43.7384,7.4246")
      let (address, feed) = try await link(of: ana, "--for", "1h")
      defer { feed.signal(SIGKILL) }
      try await withBrowser { browser in
        let page = try await browser.page()
        try await page.call(
          "Emulation.setDeviceMetricsOverride",
          ["width": 320, "height": 640, "deviceScaleFactor": 1, "mobile": true])
        try await page.open(address)
        try await page.value(of: "document.getElementById('show').click()")
        try await page.wait {
          "Number(document.getElementById('map').dataset.dot?.split(',')[3]) > 100"
        }
        #expect(try await page.text().contains("© OpenStreetMap contributors"))
        #expect(
          try await page.value(of: "document.documentElement.scrollWidth <= window.innerWidth")
            == true)
        // The buttons share a row.
        #expect(
          try await page.value(
            of:
              "new Set([...document.querySelectorAll('.row button:not([hidden])')].map((one) => one.offsetTop)).size"
          ) == 1)
        for (scheme, colour) in [("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 23, 27)")] {
          try await page.call(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": .string(scheme)]]])
          #expect(
            try await page.value(of: "getComputedStyle(document.body).backgroundColor")
              == .string(colour))
        }
        // Nothing is asked for that depends on a place.
        #expect(page.requests.allSatisfy { $0.contains(" \(served.announcement.url)/w") })
      }
    }

    @Test func `how far away somebody is stays in the browser`() async throws {
      let (served, ana) = try await group()
      let (address, feed) = try await link(of: ana, "--for", "1h")
      defer { feed.signal(SIGKILL) }
      try await withBrowser { browser in
        let page = try await browser.page()
        // Porto.
        try await page.locate(41.1496123, -8.6109321, at: served.announcement.url)
        try await page.open(address)
        try await page.value(of: "document.getElementById('show').click()")
        try await page.wait { "document.getElementById('map')?.dataset.dot" }
        let before = page.requests.count
        #expect(try await page.value(of: "document.getElementById('far').textContent") == "")
        try await page.value(of: "document.getElementById('distance').click()")
        try await page.wait { "document.getElementById('far').textContent.includes(' of you.')" }
        let text = try await page.text()
        #expect(text.contains(/Ana Pereira is 27\d km south of you\./), "\(text)")
        #expect(page.requests.count == before)
        #expect(page.bodies.isEmpty)
        #expect(!page.requests.contains { $0.contains("41.1") || $0.contains("8.61") })
      }
    }

    @Test func `where no stream comes through the page asks every 15 seconds`() async throws {
      let (_, ana) = try await group()
      let (address, feed) = try await link(of: ana, "--for", "1h")
      defer { feed.signal(SIGKILL) }
      try await withBrowser { browser in
        let page = try await browser.page()
        // A network that holds everything back, and a clock that runs faster.
        try await page.prepare(
          """
          window.EventSource = class { addEventListener() {} close() {} };
          window.pauses = [];
          const after = window.setTimeout;
          window.setTimeout = (body, pause) => {
            pauses.push(pause);
            return after(body, pause / 20);
          };
          """)
        try await page.open(address)
        try await page.value(of: "document.getElementById('show').click()")
        try await page.wait { "document.getElementById('map')?.dataset.dot" }
        try await page.wait { "pauses.filter((pause) => pause === 15000).length > 2" }
        #expect(try await page.value(of: "pauses[0]") == 8000)
        try await ana.must("location", "link", "end")
        try await page.wait { "document.body.innerText.includes('This link has ended')" }
        #expect(try await page.value(of: "document.getElementById('map').dataset.dot") == "")
      }
    }

    @Test func `my phone's browser feeds a link, and the server never has the place`() async throws
    {
      let (served, ana) = try await group()
      let made = try await ana.must("location", "link", "--phone", "--json").json()
      let address = try #require(made["address"]?.string)
      let phoneAddress = try #require(made["phone_address"]?.string)
      let secret = try #require(phoneAddress.split(separator: ".").last)
      let place = try #require(Coordinate(latitude: 41.1496123, longitude: -8.6109321))
      let later = try #require(Coordinate(latitude: 41.1507321, longitude: -8.6128419))
      try await withBrowser { browser in
        let watching = try await browser.page()
        try await watching.open(address)
        try await watching.value(of: "document.getElementById('show').click()")
        try await watching.wait {
          "document.body.innerText.includes('Where Ana Pereira is is not known yet.')"
        }
        let phone = try await browser.page()
        try await phone.locate(place.latitude, place.longitude, at: served.announcement.url)
        // Its beat is a second and a half.
        try await phone.prepare(
          """
          {
            const after = window.setTimeout;
            window.setTimeout = (body, pause) => after(body, pause / 20);
            const request = async () => (window.held = { released: false, release() { this.released = true; } });
            Object.defineProperty(navigator, 'wakeLock', { value: { request } });
          }
          """)
        try await phone.open(phoneAddress)
        #expect(try await phone.text().contains("This phone shows where it is"))
        #expect(phone.bodies.isEmpty && !phone.requests.contains { $0.contains("/w/") })
        try await phone.value(of: "document.getElementById('show').click()")
        try await watching.wait {
          "document.getElementById('map').dataset.dot.startsWith('41.1496123,-8.6109321,live')"
        }
        #expect(try await watching.text().contains("Ana Pereira is here, now"))
        #expect(
          try await phone.value(of: "location.href") == .string("\(served.announcement.url)/w"))
        try await phone.locate(later.latitude, later.longitude, at: served.announcement.url)
        try await watching.wait {
          "document.getElementById('map').dataset.dot.startsWith('41.1507321,-8.6128419,live')"
        }
        try await phone.wait { "document.body.innerText.includes('1 watches.')" }
        #expect(try await phone.text().contains("The screen stays on."))

        // All that left the phone is sealed and of one length; its secret is in no address.
        let posts = phone.bodies
        #expect(posts.count > 1)
        #expect(Set(posts.map { $0.split(separator: "sealed").last?.count }).count == 1)
        let fragment = try #require(address.split(separator: "#").last)
        let link = try #require(WatchAddress(fragment: fragment))
        let last = try #require(posts.last)
        let post = try WireJSON.decode(WatchPost.self, from: Data(last.utf8))
        #expect(try WatchPlace(post.place, of: link)?.coordinate == later)
        let sent = posts.map { (name: "post", data: Data($0.utf8)) }
        for (what, bytes) in WatchSecrecyTests.needles(place) + WatchSecrecyTests.needles(later) {
          for (name, data) in try sent + WatchSecrecyTests.data(of: served)
          where WatchSecrecyTests.has(data, bytes) {
            Issue.record("\(what) is in the \(name)")
          }
        }
        #expect(
          phone.requests.filter { $0.contains(secret) }
            == ["GET \(phoneAddress)"])
        #expect(!served.command.snapshot.errorText.contains(secret))
        #expect(phone.complaints.filter { $0.contains("Content Security Policy") } == [])

        // A reload goes on, and the phone ends the link.
        try await phone.call("Page.reload")
        try await phone.wait { "document.body.innerText.includes('1 watches.')" }
        try await phone.value(of: "document.getElementById('stop').click()")
        for page in [phone, watching] {
          try await page.wait { "document.body.innerText.includes('This link has ended')" }
          #expect(try await page.value(of: "document.getElementById('map').dataset.dot") == "")
        }
        #expect(try await ana.must("location", "link", "list", "--json").json() == [])
        #expect(try await phone.value(of: "held.released") == true)
      }
    }

    @Test func `a phone that may not say where it is says so, and its link is never coarse`()
      async throws
    {
      let (_, ana) = try await group()
      let coarse = try await ana.rally("location", "link", "--phone", "--precision", "area")
      #expect(!coarse.succeeded && coarse.errors.contains("A phone's link is precise"))
      let made = try await ana.must("location", "link", "--phone", "--json").json()
      let phoneAddress = try #require(made["phone_address"]?.string)
      try await withBrowser { browser in
        let phone = try await browser.page()
        try await phone.open(phoneAddress)
        try await phone.value(of: "document.getElementById('show').click()")
        try await phone.wait {
          "document.body.innerText.includes('Your browser does not say where you are.')"
        }
        #expect(phone.bodies.isEmpty)
        // An address that was put together from a coarse link's.
        let (address, feed) = try await link(of: ana, "--precision", "area")
        defer { feed.signal(SIGKILL) }
        let other = try await browser.page()
        try await other.open("\(address).\(String(repeating: "s", count: AccessSecret.length))")
        try await other.value(of: "document.getElementById('show').click()")
        try await other.wait {
          "document.body.innerText.includes('A phone cannot feed this link')"
        }
        #expect(other.bodies.isEmpty)
      }
      // Zones do not hold on the phone, so that somebody has to agree.
      try await ana.must("location", "zone", "add", "home", "--at", "38.7223,-9.1393")
      let refused = try await ana.rally("location", "link", "--phone")
      #expect(!refused.succeeded && refused.errors.contains("Your zones and hours do not hold"))
      let agreed = try await ana.rally("location", "link", "--phone", "--yes")
      // Nothing is shown before the page on the phone is open.
      #expect(agreed.succeeded && agreed.errors.contains("While it is open there, whoever has"))
    }

    @Test func `the QR code of a terminal is the phone's address`() async throws {
      let (_, ana) = try await group()
      let session = try await ana.open(rows: 60, columns: 120, "location", "link", "--phone")
      #expect(try await session.waitForExit() == .exited(0))
      let lines = session.screen.lines
      let code = lines.filter { $0.contains("█") || $0.contains("▀") || $0.contains("▄") }
      let text = try await QRCodeReader.text(in: code)
      let address = try #require(lines.first { $0.contains("/w#") })
      #expect(text.hasPrefix(address.trimmingCharacters(in: .whitespaces) + "."))
      #expect(text.split(separator: ".").last?.count == AccessSecret.length)
    }

    @Test func `a browser that is too old is told so`() async throws {
      let (_, ana) = try await group()
      let (address, feed) = try await link(of: ana, "--for", "1h")
      defer { feed.signal(SIGKILL) }
      try await withBrowser { browser in
        let sentence = "This browser is too old to open the link."
        // The first knows no streams of events, the second not even the words of the script.
        for script in ["window.EventSource = undefined", "window.matchMedia = undefined"] {
          let page = try await browser.page()
          try await page.prepare(script)
          try await page.open(address)
          let text = try await page.text()
          #expect(text.contains(sentence), "\(text)")
          #expect(!text.contains("Show where"))
          #expect(!page.requests.contains { $0.contains("/stream") })
        }
      }
    }

    @Test func `on a plain http name a sentence says why nothing opens, and no link is made`()
      async throws
    {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let refused = try await ana.rally("location", "link")
      #expect(!refused.succeeded)
      #expect(refused.errors.contains("https"), "\(refused)")
      try await withBrowser(resolving: ["lan.example"]) { browser in
        let page = try await browser.page()
        let port = try #require(URL(string: served.announcement.url)?.port)
        try await page.open("http://lan.example:\(port)/w#\(String(repeating: "0", count: 68))")
        #expect(try await page.text().contains("This address is not secure"))
        #expect(!page.requests.contains { $0.contains("/stream") })
      }
    }
  }
}
