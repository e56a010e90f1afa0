import Testing

@testable import TerminalKit
@testable import TerminalNcurses

@MainActor @Suite struct DelayTests {
  @Test(arguments: [
    ("\u{1B}[?5h$<100/>\u{1B}[?5l", "\u{1B}[?5h\u{1B}[?5l"), ("\u{1B}OA", "\u{1B}OA"),
    ("a$<2.5*/>b$<3>", "ab"), ("a$<b>c", "a$<b>c"), ("a$<5", "a$<5"), ("", ""),
  ]) func `delays are left out of a capability, and nothing else`(capability: String, sent: String)
  {
    #expect(NcursesTerminal.withoutDelays(capability) == sent)
  }
}
