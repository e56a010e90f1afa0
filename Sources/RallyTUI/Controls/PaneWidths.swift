import RallyDomain

/// How wide the pane at the right of each tab comes.
enum PaneWidths {
  /// Cells of a terminal with room for a list and a pane at the right of it, or for a map and its list.
  static let twoPanes = 76
  /// Cells of a terminal with room for a list, a map and a detail.
  static let threePanes = 160
  /// Cells of the narrowest pane that says where somebody is.
  static let narrowest = 26

  /// Whether a page stands beside its list; in plain text it never does.
  ///
  /// - Parameter width: Cells of the terminal.
  static func areTwo(in width: Int, isPlain: Bool) -> Bool { !isPlain && width >= twoPanes }

  /// Cells; nil where there is room for one pane only.
  static func standard(for tab: RallyTab, in width: Int) -> Int? {
    guard width >= twoPanes else { return nil }
    return switch tab {
    case .map: min(max(width / 4, 28), 40)
    case .missions: min(max(width / 2 - 1, 36), 64)
    case .friends: min(max(width * 2 / 5, narrowest), 40)
    }
  }

  /// Cells of the map between the list and the pane at the right of a tab; nil where there is no
  /// room for three.
  ///
  /// - Parameter detail: Cells of the pane at the right.
  static func map(of tab: RallyTab, in width: Int, detail: Int) -> Int? {
    guard width >= threePanes else { return nil }
    // A list of people has more columns than one of missions.
    return tab == .friends ? (width - detail) * 2 / 5 : (width - detail) / 2
  }
}

extension PaneLayoutService {
  /// Widens the side pane, as far as there is room.
  func widen(_ tab: RallyTab, by cells: Int, in width: Int) {
    guard let standard = PaneWidths.standard(for: tab, in: width) else { return }
    widen(tab, by: cells, standard: standard, in: width)
  }

  /// Cells of the pane at the right as the person wants it; nil where there is room for one only.
  func width(of tab: RallyTab, in width: Int) -> Int? {
    PaneWidths.standard(for: tab, in: width).map { self.width(of: tab, standard: $0, in: width) }
  }
}
