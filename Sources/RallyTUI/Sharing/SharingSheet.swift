import FoundationEssentials
import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// How much of my position each friend sees, until when, and what everybody else sees.
struct SharingSheet: View {
  /// The initially selected friend; nil for the first row.
  let friendID: UUID?

  @Environment(\.currentLocationProvider) private var currentLocationProvider
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.privacyRulesService) private var privacyRulesService
  @Environment(\.interface) private var interface
  @Environment(\.terminalSize) private var terminalSize
  @State private var selection: SharingRow.ID?
  /// The end that is being typed; nil while none is.
  @State private var typedEnd: String?

  private static let fullWidth = 76
  /// Cells of the border and the padding.
  private static let edges = 4
  /// The lines of a low sheet that are no rows.
  private static let otherLines = 8

  var body: some View {
    let rows = rows
    let selected = selected
    let columns = SharingColumns(
      rows, width: min(terminalSize.width, Self.fullWidth) - Self.edges, at: .now)
    Box(title: "Who sees where you are") {
      VStack(spacing: 0) {
        if rows.isEmpty {
          Paragraph("What you share is not known yet; the server was not reached.", .dim)
        } else {
          List(
            rows, id: \.id, selection: Binding(get: { selected?.id }, set: { selection = $0 })
          ) { row, isSelected in
            row.line(isSelected: isSelected, in: columns, at: .now)
          }
          .frame(height: min(rows.count, max(2, terminalSize.height - Self.otherLines)))
          if terminalSize.height >= 20 { Text("") }
          Paragraph(selected.map(meaning) ?? "What they see of you is not known yet.")
            .frame(height: 2)
        }
        if let links = WatchText.sentence(locationSharingStore.links, at: .now) {
          Text(
            "\(links.prefix(1).uppercased())\(links.dropFirst()) shows you to whoever has it.",
            .warning)
        }
        if let held = privacyRulesService.sentence(of: currentLocationProvider) {
          Text(held, .warning)
        }
        if typedEnd != nil { endField } else { hints }
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: Self.fullWidth)
    .actions(Self.all, in: self)
    .onAction(.open, if: isKnown) { typedEnd = "" }
    .onAction(.back, if: typedEnd != nil) { typedEnd = nil }
    .onAction(.leave) { interface.overlay = nil }
    .onAction(Action.precision.id) { interface.overlay = nil }
  }

  private var hints: some View {
    VStack(spacing: 0) {
      KeyHints(joined: [
        (Self.modes.map(\.action), "nothing, 10 km, 1 km, precise"),
        ([Self.time.action, Self.shorter.action], "how long"),
      ])
      KeyHints(joined: [
        ([.open], "until…"), ([Self.links.action], "links"), ([.back], "close"),
      ])
    }
    // Another way to say how much.
    .showsHints(of: [Self.more.id, Self.less.id])
  }

  private var endField: some View {
    HStack(spacing: 0) {
      Text("Until ", .accent).frame(width: 6)
      TextField(
        text: Binding(get: { typedEnd ?? "" }, set: { typedEnd = $0 }),
        placeholder: "45m, 2h, 21:00, tonight or always", isFocused: true
      ) { submit() }
    }
    .frame(height: 1)
  }

  private var rows: [SharingRow] { SharingRow.rows(locationSharingStore, at: .now) }

  /// Nil while the friend who is meant is not among those who are known: their keys must not change
  /// what others see.
  private var selected: SharingRow? {
    guard let id = selection ?? friendID.map(SharingRow.ID.friend) else { return rows.first }
    return rows.first { $0.id == id }
  }

  private var isKnown: Bool { locationSharingStore.sharing != nil }

  private func meaning(of row: SharingRow) -> String {
    row.meaning(
      general: locationSharingStore.sharing?.general ?? SharingSetting(.off), at: .now,
      isPlaceKnown: locationSharingStore.isPlaceKnown)
  }

  // MARK: - Changes

  private func change(by step: Int) {
    let modes = SharingMode.allCases.sorted()
    guard let row = selected, let index = modes.firstIndex(of: row.setting.mode),
      modes.indices.contains(index + step)
    else { return }
    set(row, to: modes[index + step], until: row.setting.until)
  }

  private func change(to mode: SharingMode) {
    guard let row = selected else { return }
    set(row, to: mode, until: row.setting.until)
  }

  private func changeEnd(_ end: (ShareEnds, WireTime?) -> WireTime?) {
    guard let row = selected else { return }
    let isShared = row.setting.mode > .off
    changeEnd(of: row, to: end(ShareEnds(now: .now), isShared ? row.setting.until : nil))
  }

  private func changeEnd(of row: SharingRow, to until: WireTime?) {
    guard let sharing = locationSharingStore.sharing else { return }
    set(row, to: row.modeForTime(in: sharing, at: .now), until: until)
  }

  private func submit() {
    guard let row = selected, let typedEnd else { return }
    do throws(FieldProblem) {
      let until = try ShareEnds(now: .now).end(typed: typedEnd)
      self.typedEnd = nil
      changeEnd(of: row, to: until)
    } catch {
      interface.say(error.advice, kind: .warning)
    }
  }

  private func set(_ row: SharingRow, to mode: SharingMode, until: WireTime?) {
    let store = locationSharingStore
    let friendID = row.friendID
    let interface = interface
    let setting = SharingSetting(mode, until: mode == .off ? nil : until)
    // Immediately, since the next key of the same burst continues from here.
    let wasGhost = store.ghostPhase == .gone
    Task.immediate {
      let outcome = await interface.act(
        "What is on its way to the server",
        undoneBy: {
          .sharing(with: friendID == nil ? nil : row.name, $0, of: store)
        }
      ) {
        await store.decideSharing(mode, for: friendID, until: setting.until)
      }
      guard outcome.isDone else { return }
      if wasGhost, store.ghostPhase == nil {
        interface.say("You are no longer a ghost: \(store.sharingSentence).", kind: .warning)
      } else {
        let sees = SharingSentence.sees(
          row.name, setting, at: .now, isPlaceKnown: store.isPlaceKnown)
        interface.say("\(sees).", kind: .success, topic: "sharing \(row.id)")
      }
    }
  }
}

extension SharingSheet {
  static let more = FeatureAction<Self>(
    id: "sharing.more", name: "share-more", title: "more", summary: "Let them see more.",
    keys: ["l", "Right", "+"], section: "Sharing",
    footer: FooterPlace(rank: 100, label: "more, less", partners: [less.id]), shown: { $0.isKnown },
    run: { $0.change(by: 1) })
  static let less = FeatureAction<Self>(
    id: "sharing.less", name: "share-less", title: "less", summary: "Let them see less.",
    keys: ["h", "Left", "-"], section: "Sharing", shown: { $0.isKnown }, run: { $0.change(by: -1) })
  static let modes = [
    mode(.off, "sharing.nothing", "share-nothing", "Let them see nothing.", "0"),
    mode(.approximate10km, "sharing.city", "share-city", "Let them see about 10 km.", "1"),
    mode(.approximate1km, "sharing.area", "share-area", "Let them see about 1 km.", "2"),
    mode(.precise, "sharing.precise", "share-precise", "Let them see precisely.", "3"),
  ]
  static let time = FeatureAction<Self>(
    id: "sharing.time", name: "share-time", title: "for a time",
    summary: "Share for 30 minutes, an hour, two hours, until tonight, or without an end.",
    keys: ["t"], section: "Sharing", footer: 110, shown: { $0.isKnown },
    run: { $0.changeEnd { $0.later(than: $1) } })
  static let shorter = FeatureAction<Self>(
    id: "sharing.shorter", name: "share-shorter", title: "shorter",
    summary: "Share until tonight instead of without an end, then for two hours, and shorter.",
    keys: ["T"], section: "Sharing", shown: { $0.isKnown },
    run: { $0.changeEnd { $0.earlier(than: $1) } })

  static let links = FeatureAction<Self>(
    id: "sharing.links", name: "links", title: "links for browsers",
    summary: "Show the links by which somebody with only a browser sees you, or make one.",
    keys: ["w"], section: "Sharing", run: { $0.interface.overlay = .links })

  static let all = [more, less] + modes + [time, shorter, links]

  private static func mode(
    _ mode: SharingMode, _ id: ActionID, _ name: String, _ summary: String, _ key: KeySequence
  ) -> FeatureAction<Self> {
    FeatureAction(
      id: id, name: name, title: mode.title, summary: summary, keys: [key], section: "Sharing",
      shown: { $0.isKnown }, run: { $0.change(to: mode) })
  }
}
