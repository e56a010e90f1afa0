import RallyClient
import RallyDomain
import RallyState
import RallySystem
import RallyText
import RallyWire
import RallyWords
import TerminalKit

/// The frame of every tab: tabs and link state above, status and hints below, overlays. A compact
/// terminal has one row above the content and one below it.
struct AppFrame: View {
  let content: AnyView
  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.interface) private var interface
  @Environment(\.demoStatus) private var demoStatus
  @Environment(\.isPlain) private var isPlain

  init<Content: View>(@ViewBuilder content: () -> Content) { self.content = AnyView(content()) }

  var body: some View {
    rows.locationAskActions().waitingQuestionActions().undoActions().globalActions()
      .programActions().floatingOverlays()
  }

  private var rows: some View {
    let isCompact = terminalSize.isCompact && !isPlain
    return VStack(spacing: 0) {
      if !interface.isTextOnly { HeaderBar() }
      if isPlain, !interface.isTextOnly { EventLine() }
      if !isPlain, !isCompact { Rule() }
      content.frame(maxWidth: .max, maxHeight: .max, alignment: .topLeading)
      ContinuationLine()
      if !isPlain, !isCompact { Rule() }
      if demoStatus != nil, !interface.isTextOnly, !isCompact { DemoHintLine() }
      if !isPlain, !isCompact { ToastUnderSheets() }
      if !interface.isTextOnly, !isCompact { StatusBar() }
      if interface.isCommandLineOpen {
        CommandField(start: interface.commandStart)
      } else if interface.isTextOnly {
        TextOnlyLine()
      } else if isCompact {
        CompactBar()
      } else {
        Footer()
      }
    }
  }
}

/// The tabs at the left, the link state and the username at the right; on a compact terminal tabs of
/// three letters and the link's mark.
private struct HeaderBar: View {
  @Environment(\.actions) private var actions
  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.navigationService) private var navigationService
  @Environment(\.frameSummary) private var frameSummary
  @Environment(\.demoStatus) private var demoStatus
  @Environment(\.isPlain) private var isPlain

  var body: some View {
    let linkStatus = frameSummary.link.value
    let isCompact = terminalSize.isCompact && !isPlain
    let isNarrow = terminalSize.width < PaneWidths.twoPanes
    let link = LinkLabel(
      linkStatus.state, interval: linkStatus.interval, isNarrow: isNarrow,
      retryKey: actions.table.way(to: .refresh))
    let tabs = tabs(isCompact: isCompact)
    let sharingRoom =
      terminalSize.width - tabs.reduce(0) { $0 + $1.cells } - link.glyph.cellWidth - 1
    // Who sees me comes first: on the narrowest terminal that leaves no room for the demo's name.
    let isDemo =
      demoStatus != nil && (!isCompact || sharingRoom > Self.shortSharing + Self.demo.count)
    HStack(spacing: 0) {
      if !isPlain, !isCompact { Text(" RALLY ", .accent.bold) }
      TabBar(tabs, selection: navigationService.selectedTab) { [navigationService] tab in
        navigationService.select(tab)
      }
      Spacer()
      if isCompact { WhoSeesYou(room: sharingRoom - (isDemo ? Self.demo.count : 0)) }
      Line(
        Span(
          isPlain ? " \(link.word)" : isCompact ? link.glyph : "\(link.glyph) \(link.word)",
          link.style),
        // On a narrow terminal there is no room for both.
        Span(
          isCompact || demoStatus != nil && isNarrow ? "" : "  \(frameSummary.handle.value)"),
        Span(isDemo ? Self.demo : "", .warning.bold), Span(" "))
    }
    .frame(height: 1)
    .showsHints(of: linkStatus.state.isOffline && !isNarrow ? [Action.refresh.id] : [])
  }

  private static let demo = "  demo"
  /// Cells of who sees me in few words.
  private static let shortSharing = 12

  private func tabs(isCompact: Bool) -> [TabItem<RallyTab>] {
    let badges = frameSummary.badges.value
    return RallyTab.allCases.map {
      TabItem(isCompact ? String($0.title.prefix(3)) : $0.title, value: $0, badge: badges[$0] ?? 0)
    }
  }
}

/// The link state as a glyph and a word, so that colour is not the only sign.
struct LinkLabel: Hashable {
  var glyph: String
  var word: String
  var style: Style

  /// - Parameter retryKey: The key that retries the connection.
  init(_ state: LinkState, interval: Duration, isNarrow: Bool = false, retryKey: String = "r") {
    switch state {
    case .signedOut: (glyph, word, style) = ("○", "signed out", .dim)
    case .connecting: (glyph, word, style) = ("◌", "connecting", .dim)
    case .live: (glyph, word, style) = ("●", "live", .success)
    case .polling:
      (glyph, word, style) = ("◐", "polling \(interval.components.seconds)s", .warning)
    case .stale: (glyph, word, style) = ("◌", "no answer", .warning)
    case .offline:
      (glyph, word, style) = ("◌", isNarrow ? "offline" : "offline · \(retryKey) retries", .danger)
    }
  }
}

/// The subject of the screen at the left, who sees one at the right, and the runtime policy where it
/// is not normal.
private struct StatusBar: View {
  @Environment(\.interface) private var interface
  @Environment(\.navigationService) private var navigationService
  @Environment(\.frameSummary) private var frameSummary
  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.isPlain) private var isPlain

  var body: some View {
    let sentence = frameSummary.policy.value
    let level = frameSummary.policyLevel.value
    HStack(spacing: 0) {
      switch navigationService.selectedTab {
      case .map: MapSubject()
      case .missions: Marked(interface.missionMarks, else: frameSummary.missions.value)
      case .friends: Marked(interface.friendMarks, else: frameSummary.people.value)
      }
      Spacer(minLength: 1)
      WhoSeesYou(room: isPlain ? .max : terminalSize.width * 2 / 3, isLast: level == .normal)
        .layoutPriority(1)
      if level != .normal {
        Text(
          isPlain
            ? sentence.words
            : "\(terminalSize.width >= 76 ? sentence.text : sentence.shortText) ",
          level.style
        )
        .layoutPriority(1)
      }
    }
    .frame(height: 1)
  }
}

/// The number of marked rows, or the tab's summary if none are marked.
private struct Marked: View {
  let marks: RowMarks
  let sentence: String

  init(_ marks: RowMarks, else sentence: String) {
    self.marks = marks
    self.sentence = sentence
  }

  var body: some View {
    if marks.ids.isEmpty {
      Text(" \(sentence)", .dim)
    } else {
      let range = marks.rangeStart == nil ? "" : ", drawing a range"
      Text(" ✓ \(marks.ids.count) marked\(range)", .accent.bold)
    }
  }
}

/// The map's view, which changes with every key there.
private struct MapSubject: View {
  @Environment(\.mapStore) private var mapStore
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.frameSummary) private var frameSummary

  var body: some View {
    Text(" \(parts.joined(separator: "  "))", .dim)
  }

  private var parts: [String] {
    var parts = framed.map { ["who comes to \($0)"] } ?? view
    if frameSummary.isDated.value, let asOf = mapStore.asOf {
      parts.append("as of \(LocalTime.clock(asOf))")
    }
    return parts
  }

  /// The title of the mission that is kept in view.
  private var framed: String? {
    mapStore.framing.flatMap { $0.isHeld ? missionsStore.mission($0.missionID)?.title : nil }
  }

  /// The centre, zoom and followed person: `38.7 N 9.1 W  z8  follows @ana`.
  private var view: [String] {
    var parts: [String] = []
    if let centre = mapStore.centre {
      let latitude = abs(centre.latitude).text(decimals: 1) + (centre.latitude < 0 ? " S" : " N")
      let longitude = abs(centre.longitude).text(decimals: 1) + (centre.longitude < 0 ? " W" : " E")
      parts.append("\(latitude) \(longitude)")
    }
    parts.append(mapStore.zoom.map { "z\($0.text(decimals: 1))" } ?? "world")
    switch mapStore.following {
    case .me: parts.append("follows you")
    case .friend(let id):
      parts.append("follows \(mapStore.position(of: id)?.profile.handle ?? "a friend")")
    case nil: break
    }
    return parts
  }
}

/// Who sees where one is, and whether one is a ghost: the sentence, or what there is room for.
///
/// It stands on every tab at every size, in one place or another of the frame.
struct WhoSeesYou: View {
  /// Cells that it may take, with the blanks after it.
  let room: Int
  /// Whether nothing stands after it in its row.
  var isLast = false
  @Environment(\.frameSummary) private var frameSummary

  var body: some View {
    let sharing = frameSummary.sharing.value
    Text(
      Self.text(
        sharing.text, short: frameSummary.sharingShort.value, room: room, isLast: isLast),
      sharing.style)
  }

  /// With blanks after it, as far as there is room for them.
  static func text(
    _ sentence: String, short: String, room: Int, isLast: Bool = false
  ) -> String {
    let gap = isLast ? " " : "  "
    for text in ["\(sentence)\(gap)", "\(short)\(gap)", "\(short) "] where text.cellWidth <= room {
      return text
    }
    return short.truncated(toCells: max(0, room))
  }
}

/// What was said last, in the same row on every screen, until something else is said or Esc.
///
/// For a screen reader: it reads a change of this row out once. A line that came and went by itself
/// would be missed or read again.
struct EventLine: View {
  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface
  @Environment(\.terminalSize) private var terminalSize

  var body: some View {
    let all = actions.table.way(to: ProgramActions.messages.id)
    Text(EventFormatter.line(interface.toasts, all: all, width: terminalSize.width)).frame(
      height: 1)
  }
}
