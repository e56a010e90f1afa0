import Testing

@testable import RallyDomain

struct DebouncerTests {
  private let start = ContinuousClock.now

  @Test func `a single piece of news is looked at after a short silence`() {
    var settling = Debouncer()
    #expect(settling.note(at: start) == start + .milliseconds(250))
  }

  @Test func `a burst is looked at once it ends, but within a second of its start`() {
    var settling = Debouncer()
    _ = settling.note(at: start)
    #expect(settling.note(at: start + .milliseconds(200)) == start + .milliseconds(450))
    for moment in stride(from: 400, through: 790, by: 100) {
      _ = settling.note(at: start + .milliseconds(moment))
    }
    #expect(settling.note(at: start + .milliseconds(795)) == start + .milliseconds(800))
  }

  @Test func `news after a look begins a new burst`() {
    var settling = Debouncer()
    _ = settling.note(at: start)
    settling.looked()
    #expect(settling.note(at: start + .seconds(5)) == start + .milliseconds(5250))
  }
}
