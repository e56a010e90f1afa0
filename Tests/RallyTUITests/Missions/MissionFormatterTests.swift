import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import RallyWords
import TerminalKit
import Testing

@testable import RallyTUI

@Suite struct MissionFormatterTests {
  private let now = MissionSamples.now

  private func timeLeft(starts: Int = -60, ends: Int?, state: MissionState = .open) -> String {
    MissionFormatter.timeLeft(
      MissionSamples.mission(1, "M", starts: starts, ends: ends, state: state), at: now)
  }

  @Test func `the time left is told in the unit that matters`() {
    #expect(timeLeft(ends: 1) == "1m left")
    #expect(timeLeft(ends: 45) == "45m left")
    #expect(timeLeft(ends: 100) == "1h40 left")
    #expect(timeLeft(ends: 180) == "3h left")
    #expect(timeLeft(ends: 12 * 60) == "12h left")
    #expect(timeLeft(ends: 6 * 24 * 60) == "6d left")
    #expect(timeLeft(ends: nil) == "no end")
    #expect(timeLeft(starts: 90, ends: 200) == "in 1h30")
    #expect(timeLeft(ends: -1) == "ended")
    #expect(timeLeft(ends: 100, state: .completed) == "completed")
    #expect(timeLeft(ends: 100, state: .cancelled) == "cancelled")
  }

  @Test func `no text of the time left is wider than its column`() {
    for minutes in [1, 59, 61, 599, 601, 2879, 2881, 500_000] {
      #expect(timeLeft(ends: minutes).cellWidth <= 9)
      #expect(timeLeft(starts: minutes, ends: nil).cellWidth <= 9)
    }
  }

  @Test func `people are named as far as there is room, and I among them`() {
    let members = (0...5).map { MissionSamples.member($0) }
    func people(_ mission: Mission) -> String {
      MissionFormatter.people(in: mission, me: MissionSamples.me)
    }
    #expect(people(MissionSamples.mission(1, "M")) == "you")
    #expect(people(MissionSamples.mission(1, "M", members: members)) == "kenji lu you +3")
    #expect(
      people(MissionSamples.mission(1, "M", members: Array(members.dropFirst()), myState: nil))
        == "kenji lu rui +2")
    // Those who do not exist for me are counted, and not named.
    #expect(people(MissionSamples.mission(1, "M", hidden: 4)) == "you +4")
  }

  @Test func `a bar never shows something as nothing, nor nearly all as all`() {
    func text(_ done: Int, _ of: Int, width: Int = 8) -> String {
      MissionBar.spans((done, of), width: width).map(\.text).joined()
    }
    #expect(text(2, 4) == "▰▰▰▰▱▱▱▱")
    #expect(text(0, 3) == "▱▱▱▱▱▱")
    #expect(text(1, 100) == "▰▱▱▱▱▱▱▱")
    #expect(text(99, 100) == "▰▰▰▰▰▰▰▱")
    #expect(text(100, 100) == "▰▰▰▰▰▰▰▰")
    #expect(text(0, 0) == "")
  }

  @Test func `what cannot be done says why`() {
    func rules(_ mission: Mission) -> ActionAvailability {
      ActionAvailability(mission, MissionSamples.viewModel())
    }
    #expect(rules(MissionSamples.lanterns).join == "You are already a member.")
    #expect(rules(MissionSamples.lanterns).leave == nil)
    #expect(rules(MissionSamples.lanterns).edit == "Only the creator can change a mission.")
    #expect(rules(MissionSamples.trees).leave?.hasPrefix("It is your mission") == true)
    #expect(rules(MissionSamples.trees).complete == nil)
    #expect(rules(MissionSamples.talk).invite == "Only you see this mission; e lets others see it.")
    #expect(rules(MissionSamples.fogRun).join == nil)
    #expect(rules(MissionSamples.fogRun).say == "Join it first: J.")
    #expect(rules(MissionSamples.finished).leave == "It is completed.")
    let full = MissionSamples.mission(
      1, "M", capacity: 2, members: [MissionSamples.member(1), MissionSamples.member(2)],
      creator: 1, myState: nil)
    #expect(rules(full).join == "All 2 places are taken.")
  }

  @Test func `a check-in needs a running mission, an open objective and a place`() {
    let mission = MissionSamples.lanterns
    let (done, open) = (mission.objectives[0], mission.objectives[2])
    func reason(
      _ objective: ObjectiveRecord?, _ change: (inout MissionsViewModel) -> Void = { _ in }
    ) -> String? {
      ActionAvailability(mission, MissionSamples.viewModel(change: change)).checkIn(at: objective)
    }
    #expect(reason(open) == nil)
    #expect(reason(nil) == "Select an objective first.")
    #expect(reason(done) == "Red lantern is done.")
    #expect(reason(open) { $0.position = nil } == "Say where you are first: :here Lisbon")
    #expect(
      reason(open) { $0.pending = [MissionSamples.pending(.queued)] }
        == "Your check-in there is already being sent.")
    #expect(reason(open) { $0.pending = [MissionSamples.pending(.refused("Too far."))] } == nil)
    let upcoming = MissionSamples.mission(
      9, "M", starts: 30, ends: 90, objectives: [MissionSamples.objective(1, "O")])
    #expect(
      ActionAvailability(upcoming, MissionSamples.viewModel()).checkIn(at: upcoming.objectives[0])
        == "It starts \(MissionSamples.clock(30)).")
  }

  @Test func `an activity line names who did it apart from what they did`() {
    func parts(_ line: MissionActivityRecord) -> [String] {
      let parts = MissionFormatter.activity(line, me: MissionSamples.me)
      return [parts.who, parts.what]
    }
    #expect(
      parts(MissionSamples.line(1, .checkedIn, by: 3, minutes: 0, objective: "Stone cat"))
        == ["rui", " found Stone cat"])
    #expect(parts(MissionSamples.line(1, .joined, by: 0, minutes: 0)) == ["you", " joined"])
    #expect(
      parts(MissionSamples.line(1, .created, by: 3, minutes: 0)) == ["", "mission started by rui"])
    #expect(parts(MissionSamples.line(1, .completed, by: nil, minutes: 0)) == ["", "completed"])
  }
}
