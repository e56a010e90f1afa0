import RallyDomain

/// How wide the pane at the right of each tab comes.
@MainActor enum PaneWidths {
  /// Cells of a terminal with room for a list and a pane at the right of it, or for a map and its list.
  static let twoPanes = 76
  /// Cells of the narrowest pane that says where somebody is.
  static let narrowest = 26

  /// Cells; nil where there is room for one pane only.
  static func standard(for tab: RallyTab, in width: Int) -> Int? {
    switch tab {
    case .map:
      width >= twoPanes ? min(max(width / 4, 28), 40) : nil
    case .missions:
      width >= twoPanes ? min(max(width / 2 - 1, 36), 64) : nil
    case .friends:
      width >= twoPanes ? min(max(width * 2 / 5, narrowest), 40) : nil
    }
  }
}

extension PaneWidths {
  /// Cells of the map between the list and the pane at the right of a tab; nil where there is no
  /// room for three.
  ///
  /// - Parameter detail: Cells of the pane at the right.
  static func map(of tab: RallyTab, in width: Int, detail: Int) -> Int? {
    guard width >= threePanes else { return nil }
    // A list of people has more columns than one of missions.
    return tab == .friends ? (width - detail) * 2 / 5 : (width - detail) / 2
  }

  /// Cells of a terminal with room for a list, a map and a detail.
  static let threePanes = 160
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
