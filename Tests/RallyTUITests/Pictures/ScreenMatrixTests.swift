import Foundation
import RallyClient
import RallyDomain
import RallyTestSupport
import RallyWire
import RallyWords
import Testing

@testable import RallySystem
@testable import RallyTUI
@testable import TerminalKit

/// Every tab in every size and every state that it can be in, and the styles of all of them in every
/// theme.
@Suite struct ScreenMatrixTests {
  enum Condition: String {
    case loading, empty, loaded, offline
    case failedWithRows = "failed with old rows"
    case failedWithNone = "failed with none"
  }

  static let sizes = [
    Size(width: 40, height: 12), Size(width: 60, height: 16), Size(width: 80, height: 24),
    Size(width: 120, height: 40), Size(width: 200, height: 60),
  ]

  /// Dario, two friends of whom one is on the map, a request for him, and a mission of his.
  private func community(on server: TestServer) async throws -> Journey {
    let dario = try await Journey.withFriends(on: server) { name, friend in
      guard name == "kenji" else { return }
      let locations = friend.session.services.locationsService
      try await locations.setLocationSharing(userID: nil, mode: .precise)
      try await locations.publishLocations([
        LocationReport(
          coordinate: Samples.coordinate(48.8606, 2.3376), accuracyMetres: 12, recordedAt: .now,
          source: "manual")
      ])
    }
    _ = try await dario.session.services.missionsService.createMission(
      CreateMission(
        title: "Lanterns of Alfama", centre: Samples.lisbon, radiusMetres: 250,
        visibility: .friends,
        objectives: [ObjectiveInput(title: "Blue door"), ObjectiveInput(title: "Stone cat")]))
    dario.screen.type(":here Lisbon")
    dario.screen.press("Enter")
    // What is said of it stands for a moment only, and may be gone before it is looked at.
    await dario.screen.waitUntil { dario.session.services.currentLocationProvider.fix != nil }
    dario.screen.press("1")
    await dario.screen.waitFor("kenji")
    dario.screen.press("2")
    await dario.screen.waitFor("Lanterns")
    await dario.screen.waitFor("mission started")
    return dario
  }

  /// A client that knows nothing yet, in a condition.
  private func stranger(_ condition: Condition, on server: TestServer) async throws -> Journey {
    if condition == .empty {
      let dario = try await Journey.live("dario", on: server)
      await dario.screen.waitFor("Nobody here yet")
      return dario
    }
    let dario = try await Journey(on: server, as: "dario")
    if condition == .loading {
      for call in ["fetch_", "/rest/"] { dario.gate.hold(call) }
    } else {
      dario.gate.fail("/rest/", with: .http(status: 500))
    }
    await dario.start()
    await dario.screen.waitFor("no list yet")
    await dario.screen.waitFor("● live")
    if condition == .failedWithNone { #expect(await dario.gate.wasCalled("fetch_missions")) }
    return dario
  }

  @Test
  func `every tab is whole in every size and state, and all of it can be read in every theme`()
    async throws
  {
    var styles: Set<Style> = []
    for condition in [Condition.loading, .empty, .failedWithNone] {
      try await TestServer.with { server in
        let dario = try await stranger(condition, on: server)
        // Where nothing is shown more room changes little: one pane and two.
        try await look(at: dario, condition, in: Array(Self.sizes.prefix(3)), &styles)
        await dario.close()
      }
    }
    // One community comes from one state into the next: to make it takes longest.
    try await TestServer.with { server in
      let dario = try await community(on: server)
      try await look(at: dario, .loaded, &styles)
      dario.gate.fail("/rest/", with: .http(status: 500))
      dario.screen.press("3 r")
      await dario.screen.waitFor("as of ")
      try await look(at: dario, .failedWithRows, &styles)
      await dario.close()
      dario.gate.goOffline()
      await dario.start()
      await dario.screen.waitFor("offline")
      try await look(at: dario, .offline, &styles)
      await dario.close()
    }
    expectReadable(styles)
  }

  /// Every tab in each of the sizes, in this condition.
  private func look(
    at journey: Journey, _ condition: Condition, in sizes: [Size] = Self.sizes,
    _ styles: inout Set<Style>
  ) async throws {
    for (number, tab) in ["Map", "Missions", "Friends"].enumerated() {
      journey.screen.press("\(number + 1)")
      if tab == "Friends" { journey.screen.press("g g") }
      if tab == "Missions", condition == .loading { await journey.screen.waitFor("···") }
      for size in sizes {
        journey.screen.resize(to: size)
        try await quiet(journey)
        expectWhole(journey, size, "\(tab), \(condition.rawValue)")
        styles.formUnion(Self.styles(on: journey.screen))
      }
    }
  }

  /// The same places on every screen: tabs first, keys last, something to read in between.
  private func expectWhole(_ journey: Journey, _ size: Size, _ title: String) {
    let picture = journey.screen.picture
    #expect(picture.count == size.height, "\(title)")
    #expect(picture.allSatisfy { $0.cellWidth <= size.width }, "\(title)")
    let isCompact = size.isCompact
    let names = isCompact ? ["1 Map", "2 Mis", "3 Fri"] : [" RALLY", "1 Map", "3 Friends"]
    for name in names { #expect(picture.first?.contains(name) == true, "\(title)") }
    #expect(picture.last?.hasSuffix("? help") == true, "\(title)\n\(journey.screen.text)")
    #expect(
      picture.dropFirst(isCompact ? 1 : 2).dropLast(isCompact ? 1 : 3).contains { line in
        line.contains(where: \.isLetter)
      },
      "\(title)\n\(journey.screen.text)")
  }

  /// Waits until nothing changes any more, without what was said for a moment.
  private func quiet(_ journey: Journey) async throws {
    var former: [String] = []
    for _ in 0..<200 {
      await journey.screen.waitUntilIdle()
      // A failure stays until it is dismissed; Esc takes it away.
      if journey.screen.contains(" ! ") || journey.screen.contains(" · @")
        || journey.screen.contains(" ✓ ")
      {
        journey.screen.press("Esc")
        await journey.screen.waitUntilIdle()
      }
      if journey.picture == former { return }
      former = journey.picture
      try await Task.sleep(for: .milliseconds(4))
    }
    Issue.record("the screen never rests:\n\(journey.screen.text)")
  }

  private static func styles(on screen: TestScreen) -> Set<Style> {
    var styles: Set<Style> = []
    let size = screen.terminal.size
    for y in 0..<size.height {
      for x in 0..<size.width { styles.insert(screen.style(x: x, y: y)) }
    }
    return styles
  }

  /// Every style that was really drawn, in every theme and with as few colours as there may be.
  private func expectReadable(_ styles: Set<Style>) {
    #expect(styles.contains(.selection))
    for name in ThemeSetting.allCases {
      for isLight in [true, false] {
        let theme = name.choice.theme(isBackgroundLight: isLight)
        for mode in ColorMode.allCases {
          for style in styles {
            let look = theme.resolve(style, mode: mode)
            // Ink on its own colour is no ink.
            #expect(
              look.foreground < 0 || look.foreground != look.background,
              "\(style) in \(name), \(mode)")
            if style.role == .selection {
              #expect(
                look.attributes.contains(.reverse) || look.background >= 0,
                "a selection that is not seen: \(name), \(mode)")
            }
            guard name == .dark || name == .light || name == .highContrast, mode == .direct
            else { continue }
            let ground: Int32 =
              look.background >= 0 ? look.background : name == .light ? 0xFFFFFF : 0x000000
            // A rule is a line, no text.
            #expect(
              Self.contrast(look.foreground, ground) >= (style.role == .rule ? 3 : 4.5),
              "\(style) in \(name): \(look)")
          }
        }
      }
    }
  }

  /// WCAG 2.1; a foreground of the terminal's own is as its owner wants it.
  private static func contrast(_ one: Int32, _ other: Int32) -> Double {
    guard one >= 0 else { return 21 }
    func luminance(_ rgb: Int32) -> Double {
      let parts = [rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255].map { channel -> Double in
        let value = Double(channel) / 255
        return value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
      }
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
    let (first, second) = (luminance(one), luminance(other))
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)
  }
}
