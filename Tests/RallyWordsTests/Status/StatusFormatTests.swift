import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem
@testable import RallyWords

/// A status line in each format, also with names that would act there.
@Suite struct StatusFormatTests {
  private static let now = WireTime(microseconds: 1_770_000_000_000_000)

  private func status(
    name: String = "Ana", title: String = "Fog run", requests: Int = 2, isConnected: Bool = true
  ) -> ClientStatus {
    ClientStatus(
      username: "me", requests: requests, questions: 0, invitations: 1, friends: 3,
      positions: [
        .init(
          username: "ana", displayName: name, metres: 300, precision: .precise, recordedAt: Self.now
        )
      ],
      missions: [.init(title: title, startsAt: Self.now.advanced(by: .seconds(60)), endsAt: nil)],
      general: SharingSetting(.approximate10km), withoutOwn: 2,
      shares: [
        .init(
          setting: SharingSetting(.precise, until: Self.now.advanced(by: .seconds(1200))), count: 1)
      ],
      least: nil, ghost: nil, policy: "normal", isConnected: isConnected, asOf: Self.now)
  }

  private func report(
    _ status: ClientStatus, isOpen: Bool = true, after: Duration = .zero
  ) -> StatusReport {
    StatusReport(status, isOpen: isOpen, at: Self.now.advanced(by: after), in: .utc)
  }

  private func line(_ format: String, _ report: StatusReport?) throws -> String {
    try StatusFormat(format).line(of: report)
  }

  @Test func `the plain line says what waits, who is near, what comes and who sees`() {
    let line = StatusFormat.plain(nil).line(of: report(status()))
    #expect(
      line == "2 requests · 1 invitation · 1 near · 1 live · Fog run 02:41 · seen by 3 (precise)")
  }

  @Test func `time alone changes what is said, at the moment that is told before`() throws {
    let status = status()
    // The mission starts, the share ends, the position gets old.
    var now = Self.now
    var lines: [String] = []
    for _ in 0..<5 {
      lines.append(
        StatusFormat.plain(nil).line(of: StatusReport(status, isOpen: true, at: now, in: .utc)))
      now = try #require(status.nextChange(after: now))
    }
    #expect(lines[1].hasSuffix("1 near · 1 live · Fog run now · seen by 3 (precise)"))
    #expect(lines[2].hasSuffix("1 near · Fog run now · seen by 3 (precise)"))
    #expect(lines[3].hasSuffix("1 near · Fog run now · seen by 3 (10km)"))
    #expect(report(status, after: .seconds(2 * 86_400)).near == 0)
  }

  @Test func `without an open interface the line says of when it is`() {
    let closed = report(status(), isOpen: false)
    #expect(StatusFormat.plain(nil).line(of: closed).hasSuffix("· as of 02:40"))
    #expect(!closed.isCurrent)
    #expect(StatusFormat.plain(nil).line(of: report(status(isConnected: false))).contains("as of"))
  }

  @Test func `a ghost is told, and one who is still seen is not`() {
    var gone = status()
    (gone.ghost, gone.general, gone.shares) = (.gone, SharingSetting(.off), [])
    #expect(report(gone).seenText == "ghost")
    (gone.ghost, gone.least) = (.pending, SharingMinimum(shared: 3, precise: 1))
    #expect(report(gone).seenText == "ghost pending, seen by 3")
  }

  // MARK: - Templates

  @Test func `a template has fields, conditions and braces`() throws {
    let report = report(status())
    #expect(try line("{requests}/{invitations} {mission}", report) == "2/1 Fog run")
    #expect(try line("{{{near}}}", report) == "{1}")
    #expect(
      try line("{questions?never}{requests?{requests} asked{mission? · {mission}}}", report)
        == "2 asked · Fog run")
    #expect(try line("{seen} {seen.level} {policy}{age}", report) == "3 precise normal")
  }

  @Test(arguments: [
    ("{nobody}", "There is no {nobody}."), ("{near", "other half"), ("near}{near}", "other half"),
    ("{near?{live}", "other half"), ("plain words", "is no format"), ("", "is no format"),
    ("{\u{1B}[31m}", "There is no {[31m}."),
    (String(repeating: "{near?", count: 20) + String(repeating: "}", count: 20), "other half"),
    ("{near}" + String(repeating: "x", count: 5000), "4096"),
  ])
  func `what is no template is refused by name`(text: String, says: String) {
    do {
      _ = try StatusFormat(text)
      Issue.record("taken")
    } catch {
      #expect(error.sentence.contains(says))
      #expect(HostileText.forbidden(in: error.sentence) == [])
    }
  }

  @Test func `an unknown field is answered with all there are`() {
    #expect(throws: StatusTemplate.Problem.unknownField("x")) { try StatusFormat("{x}") }
    let sentence = StatusTemplate.Problem.unknownField("x").sentence
    #expect(StatusTemplate.fields.allSatisfy { sentence.contains($0.name) })
  }

  // MARK: - Names that act

  private static let acting =
    "#[fg=red]#(touch /tmp/owned)#{pane_id}##[x]#<b>&amp;'\"</b>{near}\\\r\n"
    + HostileText.text(accents: 40)

  @Test func `others' text is doubled for tmux`() throws {
    let report = report(status(name: Self.acting, title: Self.acting))
    for format in ["tmux", "tmux:{near.names} {mission}"] {
      let line = try line(format, report)
      #expect(HostileText.forbidden(in: line) == [])
      #expect(!line.contains("\n"))
      // Without our own styles every run of # is even.
      let others = line.replacing("#[bold]", with: "").replacing("#[nobold]", with: "")
      for run in others.split(whereSeparator: { $0 != "#" }) {
        #expect(run.count.isMultiple(of: 2))
      }
      #expect(line.contains("##(touch"))
    }
  }

  @Test(arguments: ["waybar", "i3bar", "waybar:{near.names}", "i3bar:{mission}"])
  func `others' text is no markup in a bar's JSON`(format: String) throws {
    let line = try line(format, report(status(name: Self.acting, title: Self.acting)))
    #expect(HostileText.forbidden(in: line) == [])
    #expect(!line.contains("\n"))
    let value = try WireJSON.decode(JSONValue.self, from: Data(line.utf8))
    let keys =
      format.hasPrefix("waybar") ? ["text", "tooltip"] : ["full_text", "text", "short_text"]
    for key in keys {
      let text = try #require(value[key]?.string)
      #expect(!text.contains { "<>\"'".contains($0) })
      // Every & begins an entity of ours.
      for rest in text.split(separator: "&", omittingEmptySubsequences: false).dropFirst() {
        #expect(["amp;", "lt;", "gt;", "quot;", "#39;"].contains { rest.hasPrefix($0) })
      }
    }
  }

  @Test func `others' text is clean in a template and in JSON, and fields in it are none`() throws {
    let report = report(status(name: Self.acting, title: Self.acting))
    let text = try line("{mission}|{near.names}", report)
    #expect(HostileText.forbidden(in: text) == [])
    #expect(!text.contains("\n"))
    #expect(text.contains("{near}"))
    let json = StatusFormat.json.line(of: report)
    #expect(HostileText.forbidden(in: json) == [])
    #expect(try WireJSON.decode(JSONValue.self, from: Data(json.utf8))["requests"]?.integer == 2)
  }

  // MARK: - Bars

  @Test func `waybar gets what its manual names`() throws {
    let value = try WireJSON.decode(
      JSONValue.self, from: Data(try line("waybar", report(status())).utf8))
    #expect(Set(try #require(value.object).keys) == ["text", "tooltip", "alt", "class"])
    #expect(value["alt"] == "waiting")
    #expect(value["class"] == ["waiting", "live", "seen", "normal"])
    #expect(value["tooltip"]?.string?.contains("\nNear: Ana\n") == true)
    let none = try WireJSON.decode(JSONValue.self, from: Data(try line("waybar", nil).utf8))
    #expect(none["text"] == "")
  }

  @Test func `i3bar gets a block, with the keys of i3status-rs too`() throws {
    let value = try WireJSON.decode(
      JSONValue.self, from: Data(try line("i3bar", report(status())).utf8))
    #expect(value["full_text"] == value["text"])
    #expect(value["short_text"] == "2 requests")
    #expect(value["state"] == "Info")
    #expect(value["urgent"] == true)
    #expect(value["markup"] == "pango")
  }
}
