import RallyDomain
import TerminalKit

/// The acts of the moment: at most six, whole hints only, the ways to more at the right.
struct Footer: View {
  @Environment(\.actions) private var actions
  @Environment(\.terminalSize) private var terminalSize

  var body: some View {
    let hints = FooterHints(actions)
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

  /// Where there is room the way to everything stands there as well.
  private var ways: [ActionID] {
    terminalSize.width >= 100 ? [.goToAnything, .commandLine, .help] : [.commandLine, .help]
  }

  private var pinned: [ClickLine.Part] {
    let offered = Set(actions.available.map(\.id))
    return ways.filter(offered.contains).compactMap { id in
      guard let key = actions.hint(for: id) else { return nil }
      return ClickLine.Part(
        Span("  \(key) ", .accent), Span(actions.table[id]?.title ?? "", .dim)
      ) { [actions] in actions.perform(id) }
    } + [ClickLine.Part(Span(" "))]
  }
}

/// Chooses and cuts the hints of the footer.
struct FooterHints {
  struct Hint: Hashable {
    var key: String
    var title: String
    /// What the keys do, in their order.
    var ids: [ActionID]

    var width: Int { 1 + key.cellWidth + 1 + title.cellWidth + 1 }
  }

  static let limit = 6

  /// What is worth a place, most used first; what is not named here is found with `?`.
  private static let order: [ActionID] = [
    .confirm, .submit, .pickNext, .pickOnMap, .draftSend, .editText, .choiceNext, .objectiveAdd,
    .objectiveRemove,
    .sharingMore, .sharingTime, .mapWest, .mapZoomIn, .mapPinNext, .mapOpen, .mapFollow, .mapGoTo,
    .missionsRetry, .missionsDrop, .missionsCheckIn, .missionsAccept, .missionsDecline,
    .friendsAccept, .friendsAsk, .friendsDecline, .friendsCancel, .friendsUnfriend,
    .friendsUnblock, .moveDown, .missionsOpen, .missionsJoin, .missionsSay, .missionsWider,
    .missionsOnMap, .missionsCompose, .missionsInvite, .filter, .friendsFind, .sectionNext,
    .friendsBlock, .mark, .markRange, .copy, .ghost, .undo, .draftUndo, .draftClear, .fieldNext,
    .otherForm, .demo,
    .showPassword,
    .chooseServer, .refresh,
    .back,
  ]

  let hints: [Hint]

  @MainActor
  init(_ actions: ActionCatalog) {
    let usable = Dictionary(
      actions.available.filter { $0.disabledReason == nil }.map { ($0.id, $0.action) }
    ) { first, _ in first }
    hints = Array(
      Self.order.lazy.compactMap { id -> Hint? in
        guard let action = usable[id], let key = actions.hint(for: id) else { return nil }
        return Self.joined(id, key, actions)
          ?? Hint(key: key, title: action.title, ids: [id])
      }.prefix(Self.limit))
  }

  /// Acts that come in pairs or fours take one hint together: `j/k move`, `hjkl pan`.
  @MainActor
  private static func joined(_ id: ActionID, _ key: String, _ actions: ActionCatalog) -> Hint? {
    func keys(_ others: [ActionID], _ separator: String, _ title: String) -> Hint? {
      let rest = others.compactMap { actions.hint(for: $0) }
      guard rest.count == others.count else { return nil }
      return Hint(
        key: ([key] + rest).joined(separator: separator), title: title, ids: [id] + others)
    }
    switch id {
    case .moveDown: return keys([.moveUp], "/", "move")
    case .mapWest: return keys([.mapSouth, .mapNorth, .mapEast], "", "pan")
    case .mapZoomIn: return keys([.mapZoomOut], "/", "zoom")
    case .sharingMore: return keys([.sharingLess], "/", "more, less")
    default: return nil
    }
  }

  /// What a click does that many cells from the left; of keys that stand together, the nearest one.
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

  /// As many whole hints as the width has room for.
  func spans(fitting width: Int) -> [Span] {
    var spans: [Span] = []
    var used = 0
    for hint in hints {
      guard used + hint.width <= width else { break }
      used += hint.width
      spans += [Span(" \(hint.key) ", .accent), Span("\(hint.title) ", .dim)]
    }
    return spans
  }
}
