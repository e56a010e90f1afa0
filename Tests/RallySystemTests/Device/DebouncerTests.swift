import Testing

@testable import RallySystem

struct DebouncerTests {
  private let start = ContinuousClock.now

  @Test func `a single piece of news is looked at after a short silence`() {
    var debouncer = Debouncer()
    #expect(debouncer.note(at: start) == start + .milliseconds(250))
  }

  @Test func `a burst is looked at once it ends, but within a second of its start`() {
    var debouncer = Debouncer()
    _ = debouncer.note(at: start)
    #expect(debouncer.note(at: start + .milliseconds(200)) == start + .milliseconds(450))
    for moment in stride(from: 400, through: 790, by: 100) {
      _ = debouncer.note(at: start + .milliseconds(moment))
    }
    #expect(debouncer.note(at: start + .milliseconds(795)) == start + .milliseconds(800))
  }

  @Test func `news after a look begins a new burst`() {
    var debouncer = Debouncer()
    _ = debouncer.note(at: start)
    debouncer.looked()
    #expect(debouncer.note(at: start + .seconds(5)) == start + .milliseconds(5250))
  }
}
