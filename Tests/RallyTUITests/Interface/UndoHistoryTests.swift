import Testing

@testable import RallyTUI

/// One act and no more can be undone, for half a minute.
@Suite struct UndoHistoryTests {
  private final class Clock {
    var now = ContinuousClock.now
  }

  /// What was carried out.
  private final class Acts {
    var done: [String] = []
  }

  private let clock = Clock()
  private let acts = Acts()
  private let history: UndoHistory

  init() {
    history = UndoHistory { [clock] in clock.now }
  }

  private func command(_ label: String, succeeds: Bool = true) -> UndoHistory.Command {
    UndoHistory.Command(
      label: label,
      undo: { [acts] in
        acts.done.append("undo \(label)")
        return succeeds
      },
      redo: { [acts] in
        acts.done.append("redo \(label)")
        return succeeds
      })
  }

  private func obstacle(_ step: UndoHistory.Step) -> String? {
    if case .obstacle(let sentence) = history.offer(step, key: "u") { sentence } else { nil }
  }

  @Test func `only the last act is undone, and done again`() async {
    history.record(command("first"))
    history.record(command("second"))
    #expect(await history.carryOut(.undo) == "second")
    #expect(obstacle(.undo) == "Nothing to undo.")
    #expect(await history.carryOut(.undo) == nil)
    #expect(await history.carryOut(.redo) == "second")
    #expect(await history.carryOut(.undo) == "second")
    #expect(acts.done == ["undo second", "redo second", "undo second"])
  }

  @Test func `after half a minute it is too late, in both directions`() async {
    history.record(command("share"))
    clock.now += .seconds(30)
    #expect(obstacle(.undo) == nil)
    clock.now += .milliseconds(1)
    #expect(obstacle(.undo) == "u undoes an act within 30 seconds only.")
    #expect(history.obstacle(to: .undo) == nil)

    history.record(command("share"))
    _ = await history.carryOut(.undo)
    clock.now += .seconds(31)
    #expect(obstacle(.redo) == "u does it again within 30 seconds only.")
  }

  @Test func `an act that cannot be undone says so, and nothing before it is undone`() async {
    history.record(command("share"))
    history.close("Unfriending")
    #expect(obstacle(.undo) == "Unfriending cannot be undone.")
    #expect(await history.carryOut(.undo) == nil)
    history.close("Hiding", except: "! comes back")
    #expect(obstacle(.undo) == "Hiding cannot be undone like this: ! comes back.")
    #expect(acts.done.isEmpty)
  }

  @Test func `from the start of an act nothing before it is undone, unless it was refused`() async {
    history.record(command("share"))
    let isDone = await history.act("Blocking", isDone: { $0 }) { [history] in
      #expect(history.obstacle(to: .undo) == "Blocking cannot be undone.")
      return false
    }
    #expect(!isDone)
    #expect(obstacle(.undo) == nil)
    _ = await history.act("Blocking", isDone: { $0 }) { true }
    #expect(obstacle(.undo) == "Blocking cannot be undone.")
  }

  @Test func `a refused act gives nothing back once another one was done meanwhile`() async {
    history.record(command("share"))
    _ = await history.act("Blocking", isDone: { $0 }) { [history] in
      history.close("Unfriending")
      return false
    }
    #expect(obstacle(.undo) == "Unfriending cannot be undone.")
  }

  @Test func `an act is recorded by what it did, and not over one that began later`() async {
    let undone = { [command = command("share")] (isDone: Bool) in isDone ? command : nil }
    _ = await history.act("Sharing", isDone: { $0 }, undoneBy: undone) { true }
    #expect(await history.carryOut(.undo) == "share")
    _ = await history.act("Sharing", isDone: { $0 }, undoneBy: undone) { [history] in
      _ = await history.act("Unfriending", isDone: { $0 }) { true }
      return true
    }
    #expect(obstacle(.undo) == "Unfriending cannot be undone.")
  }

  @Test func `an undo that fails can be tried again`() async {
    history.record(command("share", succeeds: false))
    #expect(await history.carryOut(.undo) == nil)
    #expect(obstacle(.undo) == nil)
    #expect(obstacle(.redo) == "Nothing to redo.")
  }
}
