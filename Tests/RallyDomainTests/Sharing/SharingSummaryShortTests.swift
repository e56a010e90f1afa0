import RallyDomain
import Testing

/// Who sees me, in the cells that a narrow terminal has.
@Suite struct SharingSummaryShortTests {
  @Test(arguments: [
    (SharingSummary(sharedCount: 0, preciseCount: 0), "unseen"),
    (SharingSummary(sharedCount: 1, preciseCount: 0), "1 sees you"),
    (SharingSummary(sharedCount: 12, preciseCount: 0), "12 see you"),
    (SharingSummary(sharedCount: 7, preciseCount: 2), "2 precise"),
    (SharingSummary(sharedCount: 7, preciseCount: 2, followerCount: 3), "on way · 3"),
    (SharingSummary(sharedCount: 7, preciseCount: 2, ghost: .pending), "ghost…"),
    (SharingSummary(sharedCount: 0, preciseCount: 0, ghost: .gone), "ghost"),
    // A ghost whom somebody sees again, by a decision of another terminal.
    (SharingSummary(sharedCount: 1, preciseCount: 1, ghost: .gone), "1 precise"),
  ])
  func `it says the most exact that anybody sees, and that one hides`(
    _ summary: SharingSummary, _ words: String
  ) {
    #expect(summary.short == words)
    #expect(words.count <= 10)
  }
}
