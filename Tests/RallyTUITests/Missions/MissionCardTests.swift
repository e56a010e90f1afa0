import Foundation
import RallyDomain
import RallySystem
import RallyTestSupport
import RallyWire
import RallyWords
import Testing

@testable import RallyTUI
@testable import TerminalKit

/// What became of a mission, as text and as a picture.
@Suite struct MissionCardTests {
  private let utc = LocalTimeZone.utc

  private var lanterns: Mission {
    MissionSamples.mission(
      1, "Lanterns of Alfama", state: .completed, closed: 40,
      objectives: [
        MissionSamples.objective(1, "Stone cat", done: 1, by: 0, minutes: 40),
        MissionSamples.objective(
          2, "Red lantern", at: Samples.coordinate(38.7120, -9.1289), done: 1, by: 3,
          minutes: -40),
        MissionSamples.objective(3, "Wells", count: 2, done: 2, by: 99, minutes: 10),
      ],
      members: [
        MissionSamples.member(3), MissionSamples.member(0), MissionSamples.member(7, .invited),
      ],
      creator: 3, hidden: 2)
  }

  @Test func `the card says who did what, when and how far, in the order in which it was done`() {
    let card = MissionCard(lanterns, place: "Lisbon", now: MissionSamples.now)
    #expect(
      card.lines(timeZone: utc) == [
        "Lanterns of Alfama",
        "Completed 1 Mar 2026, 12:40 · after 1 h 40 min · Lisbon",
        "",
        "✓ Red lantern  @rui          11:20",
        "✓ Wells        2/2 somebody  12:10  100 m",
        "✓ Stone cat    @ana          12:40",
        "",
        "100 m from the first to the last.",
        "With @rui, @ana and 2 more.",
      ])
    #expect(card.text(timeZone: utc).hasPrefix("Lanterns of Alfama\nCompleted 1 Mar"))
  }

  @Test func `times on several days have their day, in the reader's zone`() throws {
    let card = MissionCard(lanterns, place: nil, now: MissionSamples.now)
    let zone = try #require(LocalTimeZone(identifier: "Etc/GMT-12"))
    #expect(card.summary(in: zone).hasPrefix("Completed 2 Mar 2026, 00:40"))
    #expect(card.rows(in: zone).map(\.when) == ["1 Mar 23:20", "2 Mar 00:10", "2 Mar 00:40"])
  }

  @Test func `no line is wider than what there is room for`() {
    var mission = MissionSamples.trees.record
    mission.fields.title = String(repeating: "木", count: 60)
    mission.objectives = (0..<20).map {
      MissionSamples.objective($0, String(repeating: "長い ", count: 15), done: 1, by: 2)
    }
    for width in [40, 60, 72] {
      let lines = Mission(mission).map {
        MissionCard($0, place: "Lisbon", now: MissionSamples.now).lines(width: width)
      }
      #expect(lines?.isEmpty == false)
      #expect(lines?.allSatisfy { $0.cellWidth <= width } == true)
    }
  }

  @Test func `the picture has its size, is the same each time and needs nothing from elsewhere`() {
    let card = MissionCard(lanterns, place: "Lisbon", now: MissionSamples.now)
    let svg = card.svg(timeZone: utc)
    #expect(svg == card.svg(timeZone: utc))
    #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 480\""))
    #expect(svg.contains("width=\"640\" height=\"480\""))
    for text in ["Lanterns of Alfama", "@rui", "11:20", "100 m", "With @rui, @ana and 2 more"] {
      #expect(svg.contains(">\(text)</text>"), "\(text)")
    }
    for word in ["<script", "href", "url(", "@import", "<image", "<style"] {
      #expect(!svg.contains(word))
    }
  }

  @Test func `what others wrote neither breaks the picture nor acts on a terminal`() throws {
    var record = lanterns.record
    record.fields.title = "</text><script>alert(\"1\")</script>&" + HostileText.text(accents: 3)
    record.objectives[0].title = "a<b & 'c'\u{FFFE}\u{1B}[2J"
    let card = MissionCard(
      try #require(Mission(record)), place: "L<i>sbon", now: MissionSamples.now)
    let svg = card.svg(timeZone: utc)
    #expect(HostileText.forbidden(in: svg) == [])
    #expect(!svg.contains("<script"))
    #expect(svg.contains("a&lt;b &amp; &#39;c&#39;"))
    #expect(!svg.contains("\u{FFFE}"))
    #expect(HostileText.forbidden(in: card.text()) == [])
    #expect(svg.count(of: "<text ") == svg.count(of: "</text>"))
  }

  @Test func `more objectives than there is room for are counted`() throws {
    var record = lanterns.record
    record.objectives = (0..<30).map { MissionSamples.objective($0, "Door \($0)") }
    let card = MissionCard(try #require(Mission(record)), place: nil, now: MissionSamples.now)
    #expect(card.svg().contains(">and 20 more</text>"))
  }

  @Test func `a saved card replaces no file`() async throws {
    let folder = try TemporaryFolder()
    let card = MissionCard(lanterns, place: nil, now: MissionSamples.now)
    let first = try await MissionCardFile.save(card, in: folder.path)
    let second = try await MissionCardFile.save(card, in: folder.path)
    #expect(first.hasSuffix("/lanterns-of-alfama.svg"))
    #expect(second.hasSuffix("/lanterns-of-alfama-2.svg"))
    #expect(try String(contentsOfFile: first, encoding: .utf8) == card.svg())
    await #expect(throws: FileError.self) {
      try await MissionCardFile.save(card, in: folder.path + "/nowhere")
    }
  }
}

extension String {
  fileprivate func count(of part: String) -> Int { components(separatedBy: part).count - 1 }
}
