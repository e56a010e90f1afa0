import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct PhoneVerbTests {
    @Test func `a phone is added, reports, is listed and revoked`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let made = try await ana.must(
        "location", "phone", "add", "overland", "--name", "iPhone", "--json"
      ).json()
      #expect(
        Set(made.object?.keys.map(\.self) ?? []) == [
          "id", "app", "name", "address", "link", "secret", "settings",
        ])
      let address = try #require(made["address"]?.string)
      let secret = try #require(made["secret"]?.string)
      #expect(address == served.announcement.url + "/phone/overland")

      let before = try await ana.must("location", "phone", "list").output
      #expect(before.contains("iPhone  Overland  has not reported yet"))
      let post = { try await Self.post(Self.overland, to: address, bearer: secret) }
      let answer = try await post()
      #expect(answer.status == 200)
      #expect(answer.body == #"{"result":"ok"}"#)
      let listed = try await ana.must("location", "phone", "list", "--json").json()
      #expect(listed.array?.first?["last_post_at"] != .null)
      #expect(listed.array?.first?["secret"] == nil)

      try await ana.must("location", "phone", "revoke", "iPhone")
      #expect(try await post().status == 401)
      #expect(try await ana.must("location", "phone", "list", "--json").json() == [])
      #expect(try await ana.rally("location", "phone", "revoke", "iPhone").status == .exited(5))
    }

    @Test func `the code on the terminal is the app's own link`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let session = try await ana.open(
        rows: 60, columns: 120, "location", "phone", "add", "owntracks")
      #expect(try await session.waitForExit() == .exited(0))
      let lines = session.screen.lines
      let link = try #require(lines.first { $0.contains("owntracks:///config?inline=") })
      let code = lines.filter { $0.contains("█") || $0.contains("▀") || $0.contains("▄") }
      let text = try await QRCodeReader.text(in: code)
      // The link is longer than a line.
      #expect(text.hasPrefix(link.trimmingCharacters(in: .whitespaces)))
      #expect(lines.contains { $0.contains("shown only this once") })
      #expect(lines.contains { $0.contains("this machine: a phone cannot reach it") })
    }

    @Test func `in a pipe the link stands alone on standard output`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let run = try await ana.must(
        "location", "phone", "add", "traccar", "--address", "https://rally.example.org")
      #expect(run.output.hasPrefix("https://rally.example.org/phone/traccar?id="))
      #expect(run.output.split(separator: "\n").count == 1)
      #expect(!run.errors.contains("cannot reach"))
      // The same name again would leave two that nobody can tell apart.
      let again = try await ana.rally("location", "phone", "add", "traccar")
      #expect(again.status == .exited(5))
      #expect(again.errors.contains("Traccar Client already"))
    }

    @Test func `the embedded server refuses, and names the one that a phone reaches`() async throws
    {
      let home = try Home()
      try await home.signUp("ana")
      let run = try await home.rally("location", "phone", "add", "owntracks")
      #expect(run.status == .exited(5))
      #expect(run.errors.contains("rally serve"))
    }

    // MARK: - A phone

    private static let overland = #"""
      {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[-9.1393,38.7223]},
      "properties":{"timestamp":"2026-11-22T20:00:00Z","horizontal_accuracy":12,"battery_level":0.5}}]}
      """#

    private static func post(
      _ body: String, to address: String, bearer: String
    ) async throws -> (status: Int, body: String) {
      let run = try await CommandRun.of(
        "python3", ["-c", poster, address, bearer, body], environment: ["PATH": "/usr/bin:/bin"])
      let lines = run.output.split(separator: "\n", maxSplits: 1)
      return (Int(lines.first ?? "") ?? 0, lines.count > 1 ? String(lines[1]) : "")
    }

    private static let poster = """
      import sys, urllib.error, urllib.request
      address, token, body = sys.argv[1:]
      request = urllib.request.Request(address, body.encode(), {
        "Authorization": "Bearer " + token, "Content-Type": "application/json"})
      try:
        answer = urllib.request.urlopen(request)
      except urllib.error.HTTPError as error:
        answer = error
      print(answer.status)
      print(answer.read().decode(), end="")
      """
  }
}
