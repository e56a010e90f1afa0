import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// A weekly run of two, by their command lines, and a calendar program that reads it.
  @Suite struct CalendarVerbTests {
    @Test func `a mission that repeats is made, changed, left out and read as a calendar`()
      async throws
    {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")
      try await served.befriend(ana, bob, named: ("ana", "bob"))
      let made = try await ana.must(
        "missions", "new", "--title", "Run; slow, long", "--at", "38.712,-9.13", "--starts",
        "tomorrow 18:30", "--ends", "+90m", "--repeat", "weekly", "--until", "8 times", "--json"
      ).json()
      #expect(
        Set(made["series"]?.object?.keys.map(\.self) ?? []) == [
          "repeats", "starts_at", "month_day", "time_of_day", "until", "time_zone", "skipped",
          "next_starts_at",
        ])
      #expect(made["series"]?["repeats"] == "weekly")
      let first = try #require(made["starts_at"]?.string.flatMap { WireTime($0) })
      let id = try #require(made["id"]?.string)
      try await ana.must("missions", "invite", "Run", "bob")
      try await bob.must("missions", "join", "Run")
      let shown = try await bob.must("missions", "show", "Run").output
      #expect(shown.contains("repeats") && shown.contains(" 18:30 until 20"))

      // One is left out; the day and the end of the series stay.
      #expect(try await bob.rally("missions", "skip", "Run").status == .exited(5))
      let skipped = try await ana.must("missions", "skip", "Run", "--json").json()
      #expect(skipped["starts_at"] == made["series"]?["next_starts_at"])
      #expect(skipped["my_state"] == "joined" && skipped["member_count"] == 2)
      let edited = try await ana.must(
        "missions", "edit", "Run", "--title", "Walk", "--until", "never", "--json"
      ).json()
      #expect(edited["series"]?["until"] == .null)

      let text = try await bob.must("missions", "calendar").output
      #expect(text.hasPrefix("BEGIN:VCALENDAR\r\n") && text.hasSuffix("END:VCALENDAR\r\n"))
      #expect(text.contains("\r\nUID:\(id)@rally\r\n"))
      #expect(text.contains("\r\nSUMMARY:Walk\r\n"))
      #expect(text.contains("\r\nRRULE:FREQ=WEEKLY\r\n"))
      #expect(text.contains("\r\nEXDATE"))
      #expect(text.contains("\r\nURL:rally://mission/\(id)\r\n"))
      #expect(text.contains(first.zulu.prefix(10).filter { $0 != "-" }))
      let file = bob.folder.file("rally.ics")
      #expect(try await bob.must("missions", "calendar", "-o", file).output.isEmpty)
      #expect(try String(contentsOfFile: file, encoding: .utf8).contains("SUMMARY:Walk"))
      #expect(try await bob.rally("missions", "calendar", "--json").status == .exited(2))
    }

    @Test func `the private address is shown once, read by anybody who has it, and revoked`()
      async throws
    {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      try await ana.must("missions", "new", "--title", "Trees", "--at", "38.7,-9.1")
      let run = try await ana.must("missions", "calendar", "--address")
      let address = run.output.trimmingCharacters(in: .whitespacesAndNewlines)
      #expect(address.hasPrefix(served.announcement.url + "/calendar/"))
      #expect(address.hasSuffix(".ics"))
      #expect(run.errors.contains("shown only this once"))
      #expect(run.errors.contains("is this machine"))
      let read = { try await Self.read(address) }
      let (status, text) = try await read()
      #expect(status == 200)
      #expect(text.contains("SUMMARY:Trees"))

      let second = try await ana.rally("missions", "calendar", "--address")
      #expect(second.status == .exited(5))
      #expect(second.errors.contains("--revoke"))
      try await ana.must("missions", "calendar", "--revoke")
      #expect(try await read().status == 404)
      #expect(
        try await ana.must("missions", "calendar", "--revoke", "--json").json()["revoked"] == false)
      let other = try await ana.must("missions", "calendar", "--address", "--json").json()
      #expect(other["address"]?.string != address)
      #expect(
        try await ana.rally("missions", "calendar", "--address", "--revoke").status
          == .exited(2))
    }

    @Test func `on the embedded server nobody can reach it, and that is said`() async throws {
      let home = try Home()
      try await home.signUp("ana", displayName: "Ana")
      let run = try await home.rally("missions", "calendar", "--address")
      #expect(run.status == .exited(5))
      #expect(run.errors.contains("Nobody can reach a calendar on the embedded server"))
      #expect(try await home.must("missions", "calendar").output.hasPrefix("BEGIN:VCALENDAR"))
    }

    @Test func `what cannot repeat is refused with what to type instead`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let new = ["missions", "new", "--title", "A", "--at", "38.7,-9.1"]
      for (arguments, status, words) in [
        (["--repeat", "weekly"], 5, "needs an end"),
        (["--repeat", "hourly"], 2, "'fortnightly' or 'monthly'"),
        (["--until", "2030-01-01"], 2, "--repeat weekly"),
        (["--repeat", "daily", "--ends", "in 2h", "--until", "1 times"], 2, "2 times"),
        (["--repeat", "daily", "--ends", "in 2h", "--until", "soon"], 2, "8 times"),
      ] as [([String], Int32, String)] {
        let run = try await CommandRun.of(
          RallyBinary.required(), new + arguments + ana.flags, environment: ana.environment)
        #expect(run.status == .exited(status), "\(run)")
        #expect(run.errors.contains(words), "\(run)")
      }
    }

    // MARK: - A calendar program

    private static func read(_ address: String) async throws -> (status: Int, body: String) {
      let run = try await CommandRun.of(
        "python3", ["-c", reader, address], environment: ["PATH": "/usr/bin:/bin"])
      let lines = run.output.split(separator: "\n", maxSplits: 1)
      return (Int(lines.first ?? "") ?? 0, lines.count > 1 ? String(lines[1]) : "")
    }

    private static let reader = """
      import sys, urllib.error, urllib.request
      try:
        answer = urllib.request.urlopen(sys.argv[1])
      except urllib.error.HTTPError as error:
        answer = error
      print(answer.status)
      print(answer.read().decode(), end="")
      """
  }
}
