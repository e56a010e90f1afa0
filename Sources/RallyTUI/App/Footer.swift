import RallyDomain

/// The acts of the moment: at most six, whole hints only, the ways to more at the right.
struct Footer: View {
  @Environment(\.actions) private var actions

  var body: some View {
    let hints = FooterHints(actions)
    HStack(spacing: 0) {
      CanvasView { canvas, rect in
        var x = rect.minX
        for span in hints.spans(fitting: rect.width) {
          x += canvas.draw(span.text, at: Point(x: x, y: rect.minY), style: span.style)
        }
      }
      Line(pinned).layoutPriority(1)
    }
    .frame(height: 1)
  }

  private var pinned: [Span] {
    let offered = Set(actions.available.map(\.id))
    return [ActionID.commandLine, .help].filter(offered.contains).flatMap { id -> [Span] in
      guard let key = actions.hint(for: id) else { return [] }
      return [Span("  \(key) ", .accent), Span(actions.table[id]?.title ?? "", .dim)]
    } + [Span(" ")]
  }
}

/// Chooses and cuts the hints of the footer.
struct FooterHints {
  struct Hint: Hashable {
    var key: String
    var title: String

    var width: Int { 1 + key.cellWidth + 1 + title.cellWidth + 1 }
  }

  static let limit = 6

  /// What is worth a place, most used first; what is not named here is found with `?`.
  private static let order: [ActionID] = [
    .confirm, .submit, .draftSend, .editText, .choiceNext, .objectiveAdd, .objectiveRemove,
    .missionsMark,
    .sharingMore, .sharingTime, .mapWest, .mapZoomIn, .mapPinNext, .mapOpen, .mapFollow, .mapGoTo,
    .missionsRetry, .missionsDrop, .missionsCheckIn, .missionsAccept, .missionsDecline,
    .friendsAccept, .friendsAsk, .friendsDecline, .friendsCancel, .friendsUnfriend,
    .friendsUnblock, .moveDown, .missionsOpen, .missionsJoin, .missionsSay, .missionsWider,
    .missionsOnMap, .missionsCompose, .missionsInvite, .filter, .friendsFind, .sectionNext,
    .friendsBlock, .copy, .ghost, .undo, .draftUndo, .draftClear, .fieldNext, .otherForm, .demo,
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
        return Self.joined(id, key, actions) ?? Hint(key: key, title: action.title)
      }.prefix(Self.limit))
  }

  /// Acts that come in pairs or fours take one hint together: `j/k move`, `hjkl pan`.
  @MainActor
  private static func joined(_ id: ActionID, _ key: String, _ actions: ActionCatalog) -> Hint? {
    func keys(_ others: [ActionID], _ separator: String, _ title: String) -> Hint? {
      let rest = others.compactMap { actions.hint(for: $0) }
      guard rest.count == others.count else { return nil }
      return Hint(key: ([key] + rest).joined(separator: separator), title: title)
    }
    switch id {
    case .moveDown: return keys([.moveUp], "/", "move")
    case .mapWest: return keys([.mapSouth, .mapNorth, .mapEast], "", "pan")
    case .mapZoomIn: return keys([.mapZoomOut], "/", "zoom")
    case .sharingMore: return keys([.sharingLess], "/", "more, less")
    default: return nil
    }
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
