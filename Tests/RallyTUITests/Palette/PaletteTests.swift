import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyTUI
@testable import TerminalKit

@Suite struct PaletteTests {
  private let lisbon = Place(
    name: "Lisbon", detail: "Portugal",
    coordinate: Samples.lisbon, radiusMetres: 5000)

  private var finder: PlaceFinder {
    let place = lisbon
    return PlaceFinder(find: { "lisbon".hasPrefix($0.lowercased()) ? [place] : [] })
  }

  private var actions: [AvailableAction] {
    [Action.ghost.id, Action.undo.id, SocialHome.find.id].compactMap {
      ActionTable.rally[$0]
    }.map {
      AvailableAction(
        action: $0, disabledReason: $0.id == Action.undo.id ? "Nothing to undo." : nil)
    }
  }

  private func palette(recent: [PaletteItem.Target] = []) -> Palette {
    Palette(
      friends: (0..<4).map { Samples.friend($0) },
      requests: [
        PersonEntry(
          profile: Samples.person(7), status: .incoming, askedAt: Samples.time, isInFlight: false)
      ],
      missions: [MissionSamples.lanterns], actions: actions, finder: finder,
      recent: recent, now: Samples.time)
  }

  private func titles(_ text: String, recent: [PaletteItem.Target] = []) -> [String] {
    palette(recent: recent).hits(for: text).map(\.title)
  }

  @Test func `people, missions, places and acts are found by a few letters`() {
    #expect(titles("anp").first == "Ana Pereira")
    #expect(titles("@lu").first == "Lucía Gómez")
    #expect(titles("tomas").first == "Tomás Rey", "a request is a person too")
    #expect(titles("lant").first == MissionSamples.lanterns.title)
    #expect(titles("lisb").first == "Lisbon")
    #expect(titles("ghost").first == "ghost")
    #expect(titles("38.72,-9.14").contains { $0.hasPrefix("38.72") })
  }

  @Test func `of what fits as well a place comes after who is known`() {
    let place = lisbon
    let palette = Palette(
      friends: [
        CommunityProfile(
          id: Samples.id(50), username: "a.very.long.username", displayName: "Lisbon")
      ], finder: PlaceFinder(find: { _ in [place] }))
    #expect(palette.hits(for: "lisb").map(\.note) == ["friend", "place"])
  }

  @Test func `before anything is typed what waits and what was picked lately stands there`() {
    #expect(titles("").first == "Tomás Rey")
    let recent: [PaletteItem.Target] = [.action(Action.ghost.id), .place(lisbon)]
    #expect(Array(titles("", recent: recent).prefix(3)) == ["ghost", "Lisbon", "Tomás Rey"])
    #expect(Set(titles("", recent: recent)).count == titles("", recent: recent).count)
  }

  @Test func `what was picked lately is lifted`() {
    #expect(titles("l").first == "Lucía Gómez")
    let recent: [PaletteItem.Target] = [.mission(MissionSamples.lanterns.id)]
    #expect(titles("l", recent: recent).first == "Lanterns of Alfama")
  }

  @Test func `a longer text finds what it finds alone, also after a shorter or another one`() {
    let palette = palette()
    for text in ["a", "an", "ana", "an", "l", "lu", "", "lu p", "x"] {
      #expect(palette.hits(for: text).map(\.title) == titles(text), "\(text)")
    }
  }

  @Test func `an act that cannot be done says why`() throws {
    let undo = palette().hits(for: "undo").first
    #expect(undo?.disabledReason == "Nothing to undo.")
    let line = PaletteRow(
      item: try #require(undo), query: FuzzyQuery("undo"), width: 60, isSelected: true
    ).line
    let text = line.spans.map(\.text).joined()
    #expect(text.contains("Nothing to undo."))
    #expect(text.cellWidth == 60)
  }

  @Test func `letters that were found are seen without colour`() {
    let spans = PaletteRow.spans("Ana Pereira", [0, 4], .normal)
    #expect(spans.map(\.text) == ["A", "na ", "P", "ereira"])
    #expect(spans[0].style.attributes.contains([.bold, .underline]))
    #expect(spans[1].style.attributes.isEmpty)
  }

  @Test(arguments: [false, true])
  func `the caret is in the field, and for a screen reader the cursor on the selected row`(
    _ isPlain: Bool
  ) async throws {
    let palette = palette()
    let hits = palette.hits(for: "a")
    let screen = TestScreen(
      size: Size(width: 60, height: 16), table: .rally, isPlain: isPlain,
      root: PaletteBox(
        hits: hits, text: .constant("a"), selection: .constant(hits[0].target),
        size: Size(width: 60, height: 16)
      ) {})
    await screen.waitUntilIdle()
    let row = try #require(screen.position(of: "Ana Pereira  @ana"))
    #expect(screen.cursor?.isVisible == true)
    #expect(screen.cursor?.position.y == (isPlain ? row.y : 1))
    #expect(screen.contains("─") != isPlain)
  }

  @Test func `the best few of many are kept in order`() {
    var random = SeededGenerator(seed: 3)
    let numbers = (0..<500).map { _ in Int.random(in: 0..<90, using: &random) }
    var top = TopList<Int>(limit: 20)
    for number in numbers { top.add(number) }
    #expect(top.items == Array(numbers.sorted().prefix(20)))
  }
}
