import RallyTestSupport
import RallyTUI
import TerminalKit
import Testing

@Suite struct ScreenSVGTests {
  private func svg(_ text: String, _ style: Style = .normal) -> String {
    let screen = TestScreen(size: Size(width: 12, height: 1), root: Text(text, style))
    return ScreenSVG(screen.terminal.screen, title: "A & B").text
  }

  @Test func `letters stand in their cells, escaped`() {
    let text = svg("a<b c")
    #expect(text.contains("<text x=\"0\" y=\"12\" textLength=\"40\""))
    #expect(text.contains(">a&lt;b c</text>"))
    #expect(text.contains("<title>A &amp; B</title>"))
  }

  @Test func `braille is dots, lines are strokes, blocks are rectangles`() {
    // Dots 1 and 8: the upper left and the lower right one.
    #expect(svg("\u{2881}").contains("d=\"M2 2h0M6 14h0\""))
    #expect(svg("│").contains("d=\"M4 0v8M4 8v8\""))
    #expect(svg("▐").contains("d=\"M4 0h4v16h-4z\""))
    #expect(!svg("\u{2881}│▐").contains("<text"))
  }

  @Test func `a wide sign has two cells, and what follows keeps its place`() {
    let text = svg("田b")
    #expect(text.contains("<text x=\"0\" y=\"12\" textLength=\"16\""))
    #expect(text.contains("<text x=\"16\" y=\"12\" textLength=\"8\""))
  }

  @Test func `a selected row is ink on its own ground`() {
    #expect(svg("x", .selection).contains("<rect x=\"0\" y=\"0\" width=\"8\" height=\"16\""))
    #expect(svg("x", .normal.bold).contains("font-weight=\"700\""))
  }

  @Test func `a sheet has each screen in its own colours, on its own background`() {
    let buffer = TestScreen(size: Size(width: 12, height: 1), root: Text("x", .accent))
      .terminal.screen
    let screens = [ColorMode.direct, .indexed, .sixteen, .mono].map {
      ScreenSVG(buffer, title: "x", theme: .light, mode: $0, ground: 0xFAFAFA)
    }
    let text = ScreenSVG.sheet([screens, [ScreenSVG(buffer, title: "x")]], title: "Colours")
    let inks = text.matches(of: /fill="(#[0-9a-f]{6})"[^>]*>x</).map { String($0.output.1) }
    #expect(inks == ["#00507f", "#005f87", "#0000ee", "#1b2430", "#a6dbff"])
    #expect(text.ranges(of: "fill=\"#fafafa\"").count == 4)
    #expect(text.contains("<title>Colours</title>"))
  }

  @Test func `a picture stays as it was when its screen goes on`() {
    let screen = TestScreen(size: Size(width: 12, height: 1), root: Text("before"))
    let picture = ScreenSVG(screen.terminal.screen, title: "x")
    screen.terminal.screen.copy(
      from: TestScreen(size: Size(width: 12, height: 1), root: Text("after")).terminal.screen)
    #expect(picture.text.contains(">before</text>"))
  }

  @Test func `dim text is between its ink and its background, in every channel`() {
    let buffer = TestScreen(size: Size(width: 12, height: 1), root: Text("x", .normal.dim))
      .terminal.screen
    let text = ScreenSVG(buffer, title: "x", mode: .mono, ground: 0x000000).text
    #expect(text.contains("fill=\"#818181\""))
  }

  @Test func `the same screen gives the same picture`() {
    #expect(svg("○ one ⠿") == svg("○ one ⠿"))
  }

  @Test func `screens follow one another, and only the first stands where motion is not wanted`() {
    let screens = ["one", "two"].map {
      ScreenSVG(
        TestScreen(size: Size(width: 12, height: 1), root: Text($0)).terminal.screen, title: $0)
    }
    let text = ScreenSVG.moving(screens, seconds: 3, title: "A tour")
    #expect(text.contains("<title>A tour</title>"))
    #expect(!text.contains("<title>one</title>"))
    #expect(text.contains("animation:s 6s step-end infinite"))
    #expect(text.contains("@keyframes s{0%{visibility:visible}50.0%{visibility:hidden}}"))
    let first = text.firstRange(of: "<g class=\"s f\" style=\"animation-delay:0s\">")
    let second = text.firstRange(of: "<g class=\"s\" style=\"animation-delay:3s\">")
    #expect(first != nil && second != nil)
    #expect(text.contains("prefers-reduced-motion:reduce"))
  }
}
