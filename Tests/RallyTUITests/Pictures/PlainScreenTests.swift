import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyTUI
@testable import TerminalKit

/// What a screen reader meets: words, whole lines, and the cursor on what is selected.
@Suite struct PlainScreenTests {
  @Test func `the Friends tab is lines of words over the whole width`() async throws {
    try await TestServer.with { server in
      let dario = try await Journey.withFriends(on: server, isPlain: true)
      expect(
        dario,
        shows: """
          3 Friends, 1 waiting is open; 1 Map; 2 Missions                    live  @dario

          All 2 is open; In 1; Out 0; Blocked; Find
          Requests for you (1)
          Tomás Rey @tomas, wants to be friends, just now
          Friends (2)
          Lucía Gómez @lucia, offline
          田中 健司 @kenji, offline














           2 friends,  1 request                                      sharing with nobody
           a accept  x decline  j/k move  / filter  c find people           : cmd  ? help
          """)
      #expect(dario.screen.cursor == Cursor(position: Point(x: 0, y: 4), isVisible: true))
      dario.screen.press("j")
      #expect(dario.screen.cursor == Cursor(position: Point(x: 0, y: 6), isVisible: true))
      dario.screen.press("Enter")
      await dario.screen.waitFor("friends since")
      #expect(dario.screen.cursor?.isVisible == true)
      #expect(dario.screen.cursor?.position.y == 3)
      await dario.close()
    }
  }

  @Test func `every sheet is words in place of the content, with the cursor in it`() async throws {
    try await TestServer.with { server in
      let dario = try await Journey.withFriends(on: server, isPlain: true)
      let sheets: [(keys: String, title: String)] = [
        ("?", "Keys of this screen"), ("g m", "Messages"), ("g l", "Log, all levels"),
        ("g p", "Your profile"), ("g s", "Settings"), ("p", "Who sees where you are"),
        ("2 c", "New mission"), ("1 /", "Go to"), ("3 a", "Accept"),
        (": p o l i c y Enter", "Runtime policy"), (": i n v i t e Enter", "Your codes"),
      ]
      for (keys, title) in sheets {
        dario.screen.press(keys)
        await dario.screen.waitFor(title)
        await dario.screen.waitUntilIdle()
        let picture = dario.screen.picture
        let cursor = try #require(dario.screen.cursor)
        #expect(cursor.isVisible, "\(title)")
        #expect((2..<22).contains(cursor.position.y), "\(title): \(cursor)")
        #expect(picture[2].hasPrefix(title), "\(title): \(dario.screen.text)")
        // Nothing of what is below it is read with it.
        #expect(!picture.contains { $0.contains("Lucía Gómez @lucia, offline") }, "\(title)")
        let odd = picture.joined().filter { "─│╭╮╰╯▸●○◐◌▐▌⠋▰▱↵↑↓·".contains($0) }
        #expect(odd.isEmpty, "\(title): \(odd)\n\(dario.screen.text)")
        dario.screen.press("Esc")
        dario.screen.press("Esc")
        await dario.screen.waitUntil { !dario.screen.picture[2].hasPrefix(title) }
      }
      await dario.close()
    }
  }

  @Test func `news is said once in one row, with all of a burst, and stays until Esc`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, isPlain: true)
      await ana.screen.waitFor("Nobody here yet")
      let bob = try await TestPerson(signingUp: "bob", on: server)
      try await bob.friendsService.requestFriend(userID: ana.userID())
      await ana.screen.waitUntil { ana.screen.picture[1] == "@bob wants to be friends." }
      // On every tab, and over every sheet, in the same row.
      for keys in ["1", "2", "g s"] {
        ana.screen.press(keys)
        await ana.screen.waitUntilIdle()
        #expect(ana.screen.picture[1] == "@bob wants to be friends.")
      }
      ana.screen.press("Esc Esc")
      await ana.screen.waitUntil { ana.screen.picture[1].isEmpty }
      ana.screen.press("g m")
      await ana.screen.waitFor("@bob wants to be friends.")
      await ana.close()
    }
  }

  @Test func `what is said together is one line, and a failure is called one`() {
    var toasts = ToastQueue()
    let start = ContinuousClock.now
    func line(_ width: Int = 80) -> String {
      EventFormatter.line(toasts, all: ":messages", width: width)
    }
    #expect(line().isEmpty)
    toasts.show("One.", at: start)
    toasts.show("Two.", at: start + .seconds(2))
    #expect(line() == "Two.")
    toasts.show("Three.", kind: .warning, at: start + .seconds(2.5))
    #expect(line() == "Two. Note: Three.")
    #expect(line(30) == "Two. Note: Three.")
    #expect(line(12) == "Note: Three. 1 more in :messages." || line(12).hasPrefix("Note: Three."))
    toasts.show("Four.", kind: .failure, at: start + .seconds(9))
    #expect(line() == "Failed: Four.")
    toasts.dismiss()
    #expect(line().isEmpty)
  }

  @Test func `the map is a list of sentences, and always has the cursor on a row`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, isPlain: true)
      _ = try await ana.makeMission(visibility: .friends)
      ana.screen.press("1")
      await ana.screen.waitFor("mission Lanterns")
      await ana.screen.waitUntilIdle()
      let row = ana.screen.position(of: "mission Lanterns")?.y
      #expect(ana.screen.cursor == Cursor(position: Point(x: 0, y: row ?? -1), isVisible: true))
      #expect(ana.screen.text.unicodeScalars.allSatisfy { !(0x2800...0x28FF).contains($0.value) })
      await ana.close()
    }
  }

  @Test func `a form keeps the cursor on what is asked for, also where nothing is typed`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, isPlain: true)
      ana.screen.press("2 c")
      await ana.screen.waitFor("New mission")
      for label in [
        "Title", "Brief", "Place", "Radius", "Starts", "Ends", "Repeats", "Limit", "Seen by",
        "Live",
      ] {
        let row = try #require(ana.screen.position(of: "> \(label)")?.y)
        #expect(ana.screen.cursor?.position.y == row, "\(label)")
        ana.screen.press("Tab")
      }
      let add = try #require(ana.screen.position(of: "[ Add something")?.y)
      #expect(ana.screen.cursor == Cursor(position: Point(x: 0, y: add), isVisible: true))
      await ana.close()
    }
  }
}
