import RallyTestSupport
import Testing

struct ScreenEmulatorTests {
  private func screen(_ text: String, rows: Int = 5, columns: Int = 20) -> ScreenEmulator {
    var screen = ScreenEmulator(rows: rows, columns: columns)
    screen.feed(text)
    return screen
  }

  @Test func `text wraps at the right border and scrolls at the bottom`() {
    let screen = screen("one\r\ntwo\r\nthree45", rows: 2, columns: 5)
    #expect(screen.lines == ["three", "45"])
  }

  @Test func `the last column waits before it wraps`() {
    var screen = screen("12345", rows: 2, columns: 5)
    #expect(screen.cursor == .init(row: 0, column: 4))
    screen.feed("\r*")
    #expect(screen.lines == ["*2345", ""])
  }

  @Test func `cursor addresses count from one and stay inside`() {
    let screen = screen("\u{1B}[2;3Ha\u{1B}[99;99Hb\u{1B}[1db\u{1B}[4Gc")
    #expect(screen.lines == ["   c               b", "  a", "", "", "                   b"])
  }

  @Test func `erasing keeps what is outside`() {
    let screen = screen(
      "aaaaa\r\nbbbbb\r\nccccc\u{1B}[2;3H\u{1B}[K\u{1B}[1;2H\u{1B}[1K\u{1B}[3;2H\u{1B}[2X")
    #expect(screen.lines == ["  aaa", "bb", "c  cc", "", ""])
  }

  @Test func `erasing below and above leaves the cursor's row parted`() {
    #expect(screen("aaa\r\nbbb\r\nccc\u{1B}[2;2H\u{1B}[J").lines == ["aaa", "b", "", "", ""])
    #expect(screen("aaa\r\nbbb\r\nccc\u{1B}[2;2H\u{1B}[1J").lines == ["", "  b", "ccc", "", ""])
  }

  @Test func `characters are inserted and deleted within their row`() {
    let screen = screen("abcdef\u{1B}[1;3H\u{1B}[2@\u{1B}[1;1H\u{1B}[P")
    #expect(screen.lines[0] == "b  cdef")
  }

  @Test func `rows are inserted and deleted within the scrolling region`() {
    let text = "1\r\n2\r\n3\r\n4\r\n5\u{1B}[2;4r"
    #expect(screen(text + "\u{1B}[2;1H\u{1B}[L").lines == ["1", "", "2", "3", "5"])
    #expect(screen(text + "\u{1B}[2;1H\u{1B}[M").lines == ["1", "3", "4", "", "5"])
    #expect(screen(text + "\u{1B}[S").lines == ["1", "3", "4", "", "5"])
    #expect(screen(text + "\u{1B}[T").lines == ["1", "", "2", "3", "5"])
    #expect(screen(text + "\u{1B}[4;1H\n").lines == ["1", "3", "4", "", "5"])
    #expect(screen(text + "\u{1B}[2;1H\u{1B}M").lines == ["1", "", "2", "3", "5"])
  }

  @Test func `a repeated character is written so often`() {
    #expect(screen("─\u{1B}[4b|").lines[0] == "─────|")
  }

  @Test func `line drawing letters become lines`() {
    #expect(screen("\u{1B}(0lqk\u{1B}(Blqk").lines[0] == "┌─┐lqk")
  }

  @Test func `wide characters take two cells and marks none`() {
    let screen = screen("漢e\u{301}🎉|")
    #expect(screen.lines[0] == "漢e\u{301}🎉|")
    #expect(screen.cursor.column == 6)
    #expect(screen.cell(row: 0, column: 1).text == "")
    #expect(screen.cell(row: 0, column: 2).text == "e\u{301}")
  }

  @Test func `half of an overwritten wide character becomes blank`() {
    #expect(screen("漢字\u{1B}[1;2Hx").lines[0] == " x字")
    #expect(screen("漢字\u{1B}[1;3Hx").lines[0] == "漢x")
  }

  @Test func `a wide character that does not fit begins the next row`() {
    #expect(screen("1234漢", rows: 2, columns: 5).lines == ["1234", "漢"])
  }

  @Test func `characters split between reads are put together`() {
    var screen = ScreenEmulator(rows: 1, columns: 10)
    for byte in "a漢\u{1B}[7mb".utf8 { screen.feed([byte]) }
    #expect(screen.lines == ["a漢b"])
    #expect(screen.cell(row: 0, column: 3).style.reverse)
  }

  @Test func `styles are kept with the cells`() {
    let screen = screen("\u{1B}[1;38;5;201;48;2;1;2;3mx\u{1B}[22;39my\u{1B}[mz")
    #expect(screen.cell(row: 0, column: 0).style.bold)
    #expect(screen.cell(row: 0, column: 0).style.foreground == .palette(201))
    #expect(screen.cell(row: 0, column: 1).style.background == .rgb(1, 2, 3))
    #expect(screen.cell(row: 0, column: 1).style.foreground == .standard)
    #expect(screen.cell(row: 0, column: 2).style == ScreenCell.Style())
  }

  @Test func `the alternate screen goes and the old one returns`() {
    var screen = screen("shell$ \u{1B}[?1049h\u{1B}[Hprogram")
    #expect(screen.lines[0] == "program")
    #expect(screen.isAlternate)
    screen.feed("\u{1B}[?1049l")
    #expect(screen.lines[0] == "shell$")
    #expect(screen.cursor.column == 7)
  }

  @Test func `what is still switched on is named`() {
    var screen = screen("\u{1B}[?1049h\u{1B}[?1000;1006h\u{1B}[?2004h\u{1B}[?25l\u{1B}=\u{1B}[7m")
    #expect(screen.modes == [7, 1000, 1006, 1049, 2004])
    #expect(screen.leftovers.count == 7)
    screen.feed("\u{1B}[?1049l\u{1B}[?1000l\u{1B}[?1006l\u{1B}[?2004l\u{1B}[?25h\u{1B}>\u{1B}[m")
    #expect(screen.leftovers == [])
    #expect(screen.modeChanges.contains(.init(mode: 2004, on: false)))
  }

  @Test func `questions are answered`() {
    let screen = screen("ab\u{1B}[6n\u{1B}[?2026$p")
    #expect(String(decoding: screen.replies, as: UTF8.self) == "\u{1B}[1;3R\u{1B}[?2026;2$y")
  }

  @Test func `titles, clipboard and strings leave no mark on the screen`() {
    let screen = screen("a\u{1B}]0;title\u{07}b\u{1B}]52;c;aGk=\u{1B}\\c\u{1B}Pq\u{1B}\\d")
    #expect(screen.lines[0] == "abcd")
    #expect(screen.title == "title")
    #expect(screen.clipboard == "aGk=")
    #expect(screen.unknown == [])
  }

  @Test func `a smaller window keeps the upper left corner`() {
    var screen = screen("aaaa\r\nbbbb", rows: 2, columns: 4)
    screen.resize(rows: 1, columns: 2)
    #expect(screen.lines == ["aa"])
    screen.resize(rows: 2, columns: 4)
    #expect(screen.lines == ["aa", ""])
  }
}
