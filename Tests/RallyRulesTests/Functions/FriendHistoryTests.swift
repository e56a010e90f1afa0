import RallyTestSupport
import Testing

/// The check of histories finds what no order explains, and nothing else.
@Suite struct FriendHistoryTests {
  /// Whether calls of 0 and 1 about each other are: those of a group at the same time, the groups one
  /// after the other. Without an act it is a question for the status.
  private static func isLinearizable(
    _ groups: [(FriendModel.Act?, by: Int, answer: String?)]..., isLost: Bool = false
  ) -> Bool {
    let history = FriendHistory()
    for group in groups {
      let begins = group.map { _ in history.begin() }
      if isLost { history.lose() }
      for ((act, by, answer), begin) in zip(group, begins) {
        history.end(
          act.map { .change(FriendModel.Call(act: $0, by: by, about: 1 - by)) }
            ?? .status(by: by, about: 1 - by), since: begin, answer: answer)
      }
    }
    return history.contradictions.isEmpty
  }

  @Test func `one after the other, answers are those of the rules`() {
    #expect(
      Self.isLinearizable(
        [(.ask, 0, nil)], [(nil, 1, "incoming")], [(.accept, 1, nil)], [(nil, 0, "friends")],
        [(.block, 0, nil)], [(nil, 1, "not_found")], [(.ask, 0, "blocked_by_you")]))
    #expect(!Self.isLinearizable([(.ask, 0, nil)], [(nil, 1, "none")]))
    #expect(!Self.isLinearizable([(.accept, 0, nil)]))
  }

  @Test func `at the same time, one of two has to win`() {
    let both: [(FriendModel.Act?, by: Int, answer: String?)] = [
      (.cancel, 0, nil), (.accept, 1, nil),
    ]
    #expect(!Self.isLinearizable([(.ask, 0, nil)], both))
    #expect(
      Self.isLinearizable(
        [(.ask, 0, nil)], [(.cancel, 0, "request_gone"), (.accept, 1, nil)],
        [(nil, 0, "friends")]))
  }

  @Test func `what was read once is not read as older afterwards`() {
    for (second, isRight) in [("friends", true), ("outgoing", false)] {
      #expect(
        Self.isLinearizable(
          [(.ask, 0, nil)], [(.accept, 1, nil), (nil, 0, "friends"), (nil, 0, "outgoing")],
          [(nil, 0, second)]) == isRight)
    }
  }

  @Test func `a change that was refused when repeated may have been made by a server that is lost`()
  {
    for isLost in [true, false] {
      #expect(
        Self.isLinearizable(
          [(.ask, 0, nil), (.accept, 1, "request_gone")], [(nil, 0, "friends")], isLost: isLost)
          == isLost)
    }
  }

  @Test func `pairs are checked apart`() {
    let history = FriendHistory()
    for (about, answer) in [(1, "none"), (2, "friends")] {
      history.end(.status(by: 0, about: about), since: history.begin(), answer: answer)
    }
    #expect(Array(history.contradictions.keys) == [FriendModel.Pair(0, 2)])
  }
}
