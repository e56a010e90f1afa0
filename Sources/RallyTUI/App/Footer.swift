import RallyDomain
import RallyState
import RallySystem
import TerminalKit

/// The hints of the actions available now: at most six, never cut, and none that a pane or a sheet
/// shows. At the right are those of the palette, the command line and the help.
struct Footer: View {
  @Environment(\.actions) private var actions
  @Environment(\.navigationService) private var navigationService
  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.isPlain) private var isPlain

  var body: some View {
    let isCovering =
      navigationService.route != nil && !PaneWidths.areTwo(in: terminalSize.width, isPlain: isPlain)
    let hints = FooterHints(actions, first: isCovering ? Action.back.id : nil)
    HStack(spacing: 0) {
      CanvasView { canvas, rect in
        var x = rect.minX
        for span in hints.spans(fitting: rect.width) {
          x += canvas.draw(span.text, at: Point(x: x, y: rect.minY), style: span.style)
        }
      } onMouse: { [actions] event, rect in
        guard event.kind == .press, event.button == 0,
          let id = hints.action(at: event.position.x - rect.minX, fitting: rect.width)
        else { return false }
        actions.perform(id)
        return true
      }
      ClickLine(pinned).layoutPriority(1)
    }
    .frame(height: 1)
  }

  private var pinned: [ClickLine.Part] {
    let offered = Set(actions.available.map(\.id))
    let palette = terminalSize.width >= 100 ? [Action.goToAnything] : []
    let command = terminalSize.width >= Size.full.width ? [Action.commandLine] : []
    let pinned = palette + command + [ProgramActions.help.action]
    return pinned.filter { offered.contains($0.id) }.compactMap { action in
      guard let key = actions.hint(for: action.id) else { return nil }
      return ClickLine.Part(Span("  \(key) ", .accent), Span(action.title, .dim)) { [actions] in
        actions.perform(action.id)
      }
    } + [ClickLine.Part(Span(" "))]
  }
}

/// Selects the hints of the footer.
struct FooterHints {
  struct Hint: Hashable {
    let key: String
    /// The actions of the keys, in their order.
    let ids: [ActionID]
    let spans: [Span]
    /// In cells.
    let width: Int

    init(key: String, title: String, ids: [ActionID]) {
      self.key = key
      self.ids = ids
      spans = [Span(" \(key) ", .accent), Span("\(title) ", .dim)]
      width = 3 + key.cellWidth + title.cellWidth
    }
  }

  static let limit = 6

  let hints: [Hint]

  /// - Parameter first: What is named before all others, such as the way back from a page that covers
  ///   its list.
  init(_ actions: ActionCatalog, first: ActionID? = nil) {
    let usable = actions.available.compactMap { entry in
      entry.disabledReason == nil && !Self.isShown(entry.id, actions)
        ? entry.action.footer.map { (entry.action, $0) } : nil
    }
    hints = Array(
      usable.sorted { Self.rank($0, first) < Self.rank($1, first) }.lazy
        .compactMap { Self.hint($0, $1, actions) }.prefix(Self.limit))
  }

  private static func rank(_ hint: (action: Action, place: FooterPlace), _ first: ActionID?) -> Int
  {
    hint.action.id == first ? .min : hint.place.rank
  }

  /// Whether a pane or a sheet shows the key that leads to the action now; while one types, a
  /// letter does not.
  private static func isShown(_ id: ActionID, _ actions: ActionCatalog) -> Bool {
    actions.shownHints.contains(id) && actions.hint(for: id) == actions.table.hint(for: id)
  }

  /// The keys of partners stand together: two as `j/k move`, more as `hjkl pan`. Nil if no key
  /// reaches the action now.
  private static func hint(
    _ action: Action, _ place: FooterPlace, _ actions: ActionCatalog
  ) -> Hint? {
    guard let key = actions.hint(for: action.id) else { return nil }
    let partners = place.partners.compactMap { actions.hint(for: $0) }
    guard partners.count == place.partners.count else {
      return Hint(key: key, title: action.title, ids: [action.id])
    }
    return Hint(
      key: ([key] + partners).joined(separator: partners.count == 1 ? "/" : ""),
      title: place.label ?? action.title, ids: [action.id] + place.partners)
  }

  /// The action of a click at this column; for joined keys, that of the nearest one.
  func action(at column: Int, fitting width: Int) -> ActionID? {
    var start = 0
    for hint in hints {
      guard start + hint.width <= width else { return nil }
      if (start..<start + hint.width).contains(column) {
        let keyWidth = max(1, hint.key.cellWidth)
        let place = min(max(0, column - start - 1), keyWidth - 1) * hint.ids.count / keyWidth
        return hint.ids[place]
      }
      start += hint.width
    }
    return nil
  }

  /// As many whole hints as fit into the width.
  func spans(fitting width: Int) -> [Span] {
    var spans: [Span] = []
    var used = 0
    for hint in hints {
      guard used + hint.width <= width else { break }
      used += hint.width
      spans += hint.spans
    }
    return spans
  }
}

/// What can follow the keys of a sequence that is half typed: `g  g first  t next tab`.
struct ContinuationLine: View {
  @Environment(\.actions) private var actions

  var body: some View {
    if !actions.continuations.isEmpty {
      CanvasView { canvas, rect in
        var x = rect.minX
        for span in spans(fitting: rect.width) {
          x += canvas.draw(span.text, at: Point(x: x, y: rect.minY), style: span.style)
        }
      }
      .frame(maxWidth: .max)
      .frame(height: 1)
      .style(.normal, fills: true)
    }
  }

  /// As many whole hints as there is room for; one for each key, even if several actions share it.
  private func spans(fitting width: Int) -> [Span] {
    let typed = " \(actions.pending.map(\.description).joined(separator: " "))… "
    var spans = [Span(typed, .accent.bold)]
    var used = typed.cellWidth
    var shown: Set<KeySequence> = []
    for continuation in actions.continuations where shown.insert(continuation.keys).inserted {
      let key = " \(actions.table.name(of: continuation.keys)) "
      let title = "\(continuation.action.title) "
      used += key.cellWidth + title.cellWidth
      if used + 1 > width { return spans + [Span("…", .dim)] }
      spans += [Span(key, .accent), Span(title)]
    }
    return spans
  }
}

/// The last row of a compact terminal: a toast for its time, else what is out of the ordinary and
/// the hints.
struct CompactBar: View {
  @Environment(\.interface) private var interface

  var body: some View {
    ToastUnderSheets()
    // While a sheet is open the row has its keys.
    if interface.toasts.current == nil || interface.isCovered {
      HStack(spacing: 0) {
        CompactStatus().layoutPriority(1)
        Footer()
      }
      .frame(height: 1)
    }
  }
}

/// The number of marked rows, and the policy where it is not normal.
private struct CompactStatus: View {
  @Environment(\.interface) private var interface
  @Environment(\.navigationService) private var navigationService
  @Environment(\.frameSummary) private var frameSummary

  var body: some View { Line(spans) }

  private var spans: [Span] {
    let sentence = frameSummary.policy.value
    let level = frameSummary.policyLevel.value
    var spans: [Span] = []
    if level != .normal {
      spans.append(Span(" \(sentence.glyph) \(sentence.effect ?? sentence.word) ", level.style))
    }
    if let marks, !marks.ids.isEmpty {
      spans.append(Span(" ✓ \(marks.ids.count) ", .accent.bold))
    }
    return spans
  }

  private var marks: RowMarks? {
    switch navigationService.selectedTab {
    case .map: nil
    case .missions: interface.missionMarks
    case .friends: interface.friendMarks
    }
  }
}

extension RuntimePolicyCoordinator.PolicyLevel {
  var style: Style {
    switch self {
    case .normal: .success
    case .constrained: .warning
    case .critical: .danger
    }
  }
}
