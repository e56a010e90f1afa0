import Foundation
import RallyDomain
import RallyTUI
import RallyTestSupport
import RallyWire
import Testing

/// The whole interface in front of a server that sends hostile text in every field.
@Suite struct HostileJourneyTests {
  /// Keys, and what the screen shows after them. Esc ends every sheet.
  private static let screens: [(keys: String, shows: String)] = [
    ("1", "Map"), ("Tab", ""), ("z", ""), ("/", "Go to"), ("2", "Missions"), ("Enter", ""),
    ("j", ""), ("o", ""), ("2", "Lanterns"), ("M", "Members of"), ("2 c", "New mission"),
    ("3", "Friends"),
    ("j", ""), ("Enter", ""), ("g g a", ""), ("B", ""), ("/ x", ""),
    ("p", "Who sees where you are"), ("?", "Keys"), ("^K", ""), ("G", ""),
    ("g m", "Messages"), ("g l", "Log"), ("g p", "Your profile"), ("g s", "Settings"),
    (": p o l i c y Enter", "Runtime policy"), (": i n v i t e Enter", "Your codes"),
  ]

  @Test(arguments: [false, true])
  func `no forbidden scalar reaches a screen, a title or a notification`(isPlain: Bool) async throws
  {
    try await TestServer.with { server in
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let cleo = try await TestPerson(signingUp: "cleo", on: server)
      let ana = try await Journey(
        on: server, as: "ana", isPlain: isPlain, transport: HostileText.transport())
      await ana.start()
      await ana.screen.waitFor(isPlain ? " live  @" : "● live")
      try await ana.friendsService.requestFriend(userID: ben.userID)
      try await ben.friendsService.respondToFriendRequest(userID: ana.userID(), accept: true)
      try await cleo.friendsService.requestFriend(userID: ana.userID())
      let mission = try await ben.makeMission()
      _ = try await ana.session.services.missionsService.joinMission(mission.id)
      _ = try await ben.missionsService.sayInMission(mission.id, text: "hello")
      await ana.screen.waitUntil { ana.screen.contains("Requests") || ana.screen.contains("·") }
      await ana.screen.waitUntil { ana.session.stores?.missions.active.isEmpty == false }

      for (key, shows) in Self.screens {
        ana.screen.press(key)
        if !shows.isEmpty { await ana.screen.waitFor(shows) }
        await ana.screen.waitUntilIdle()
        let text = ana.screen.picture.joined(separator: "\n")
        #expect(HostileText.forbidden(in: text) == [], "after \(key):\n\(text)")
        #expect(HostileText.marks(in: text) <= TextLimits.marks, "after \(key)")
        // 80 × 24 cells, each of at most a letter and four marks.
        #expect(text.utf8.count < 24 * 80 * 12, "after \(key)")
        ana.screen.press("Esc Esc")
      }
      let outside =
        ana.screen.terminal.titles.compactMap(\.self)
        // The text within the notification's own sequence.
        + ana.screen.terminal.sequences.map {
          $0.replacing("\u{1b}]777;notify;Rally;", with: "").replacing("\u{1b}\\", with: "")
        }
      #expect(!outside.isEmpty)
      for text in outside {
        #expect(HostileText.forbidden(in: text) == [])
        #expect(HostileText.marks(in: text) <= TextLimits.marks)
      }
      await ana.close()
    }
  }
}
