import RallyDomain
import RallyText
import RallyWire
import RallyWords
import TerminalKit

/// The links by which somebody with only a browser sees me, and keys that make and end one.
struct LinksSheet: View {
  @Environment(\.watchStore) private var watchStore
  @Environment(\.interface) private var interface
  @State private var selection: WatchLinkID?

  var body: some View {
    let selected = selected
    LinksList(
      links: watchStore.links, now: .now,
      selection: Binding(get: { selected?.id }, set: { selection = $0 })
    )
    .task { await watchStore.refresh() }
    .actions(Self.all, in: self)
    .onCopy(disabled: copyProblem) {
      selected?.address.map { Clipping(text: $0, title: "the link") }
    }
    .onAction(.leave) { interface.overlay = nil }
  }

  private var selected: WatchLink? {
    watchStore.links.first { $0.id == selection } ?? watchStore.links.last
  }

  private var copyProblem: String? {
    guard let selected else { return "There is no link." }
    if selected.address != nil { return nil }
    return selected.record.isFromPhone
      ? "It was shown once, when it was made." : "Another terminal made it, which alone knows it."
  }

  private var acts: LinkActs { LinkActs(store: watchStore, interface: interface) }
}

extension LinksSheet {
  static let makePrecise = making(.precise, "links.precise", "make-link", "for an hour", "a")
  static let makeArea = making(
    .approximate1km, "links.area", "make-area-link", "an area, for an hour", "A")
  static let end = FeatureAction<Self>(
    id: "links.end", name: "end-link", title: "end",
    summary: "End the selected link: it shows nothing any more.", keys: ["x"], section: "Links",
    disabled: { $0.selected == nil ? "There is no link." : nil },
    run: { $0.acts.end($0.selected) })

  static let all = [makePrecise, makeArea, end]

  private static func making(
    _ mode: SharingMode, _ id: ActionID, _ name: String, _ title: String, _ key: KeySequence
  ) -> FeatureAction<Self> {
    FeatureAction(
      id: id, name: name, title: title,
      summary: "Make a link that shows you for an hour (\(mode.title)); :link says how long.",
      keys: [key], section: "Links",
      run: { $0.acts.make(mode, until: WireTime.now.advanced(by: .seconds(3600))) })
  }
}

/// The sheet without its actions, so that tests can render it.
struct LinksList: View {
  let links: [WatchLink]
  let now: WireTime
  let selection: Binding<WatchLinkID?>

  @Environment(\.terminalSize) private var terminalSize

  var body: some View {
    Box(title: "Links for browsers") {
      VStack(spacing: 0) {
        if links.isEmpty {
          Paragraph(
            "None. A link shows where you are to whoever has it, until it ends. The server passes"
              + " it on sealed and cannot read it; this terminal feeds it, and quitting ends it.",
            .dim)
        } else {
          List(links, id: \.id, selection: selection) { link, isSelected in
            Line(
              Span(
                link.record.mode.title.padded(toCells: 12), isSelected ? .selection : .normal),
              Span("until \(LocalTime.end(link.record.until, at: now))".padded(toCells: 22)),
              Span("\(link.record.watchers) watching".padded(toCells: 14), .dim),
              Span(feed(of: link), .dim))
          }
          .frame(height: min(links.count, max(2, terminalSize.height - 12)))
          if let address = selected?.address { Paragraph(address, .accent) }
        }
        Text("")
        KeyHints(
          [
            (LinksSheet.makePrecise.action, "a link for an hour"),
            (LinksSheet.makeArea.action, "of the area"),
          ]
            + (links.isEmpty ? [] : [(LinksSheet.end.action, "end"), (.copy, "copy")])
            + [(.back, "close")])
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 72)
  }

  private func feed(of link: WatchLink) -> String {
    if link.record.isFromPhone { return "from your phone" }
    return link.address == nil ? "another terminal" : ""
  }

  private var selected: WatchLink? { links.first { $0.id == selection.wrappedValue } }
}

/// Makes and ends links to watch, and says what became of it.
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
      interface.say(OutcomeText.endedLinks(count), kind: .success)
    }
  }
}
