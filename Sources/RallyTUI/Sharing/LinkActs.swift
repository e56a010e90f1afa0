import RallyDomain
import RallyWire
import RallyWords
import TerminalKit

/// Makes and ends links to watch, and says what became of it.
@MainActor
struct LinkActs {
  let store: WatchStore
  let interface: Interface

  /// As typed: `1h`, `21:00 area`, `end`; without words the links are listed.
  func run(_ words: [String]) {
    guard let first = words.first else { return interface.overlay = .links }
    if first == "end" { return end(nil) }
    do throws(FieldProblem) {
      let isMode = words.count > 1 && (try? SharingMode(typed: words[words.count - 1])) != nil
      let mode = try SharingMode(typed: isMode ? words[words.count - 1] : "precise")
      let typed = words.dropLast(isMode ? 1 : 0).joined(separator: " ")
      guard mode > .off, let until = try ShareEnds(now: .now).end(typed: typed) else {
        throw FieldProblem(field: .ends, advice: "A link shows something, and has an end: link 1h")
      }
      make(mode, until: until)
    } catch {
      interface.say(error.advice, kind: .warning)
    }
  }

  func make(_ mode: SharingMode, until: WireTime) {
    Task {
      let outcome = await interface.act("Making a link") {
        await store.makeLink(mode, until: until)
      }
      // What the server refused is presented by the store.
      if let problem = outcome.problem { interface.say(problem.advice, kind: .warning) }
      guard let link = outcome.value else { return }
      interface.overlay = .links
      let end = LocalTime.end(link.record.until, at: .now)
      interface.say(store.meaning(of: link, until: end), kind: .success)
    }
  }

  /// - Parameter link: nil for all.
  func end(_ link: WatchLink?) {
    Task {
      let outcome = await interface.act("Ending a link") { await store.endLinks(link?.id) }
      guard let count = outcome.value else { return }
      interface.say(WatchText.ended(count), kind: .success)
    }
  }
}
