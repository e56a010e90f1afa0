/// The actions of every list.
package enum ListActions {
  package static let down = movement(
    "move-down", "down", "Select the next row.", keys: ["j", "down"],
    footer: FooterPlace(rank: 290, label: "move", partners: [up.id]), run: { $0.move(by: 1) })

  package static let up = movement(
    "move-up", "up", "Select the row before.", keys: ["k", "up"], run: { $0.move(by: -1) })

  package static let last = movement(
    "last", "last", "Select the last row.", keys: ["G", "End"], run: { $0.move(by: $0.count) })

  package static let new = movement(
    "to-new", "new rows", "Select the nearest row above that is new, or the first one.",
    keys: ["g n"], run: { $0.moveToNew() })

  package static let all = [
    down, up,
    movement(
      "first", "first", "Select the first row.", keys: ["g g", "Home"],
      run: { $0.move(by: -$0.count) }),
    last,
    movement(
      "half-page-down", "half down", "Move half a page down.", keys: ["^D"],
      run: { $0.move(by: max(1, $0.pageRows / 2)) }),
    movement(
      "half-page-up", "half up", "Move half a page up.", keys: ["^U"],
      run: { $0.move(by: -max(1, $0.pageRows / 2)) }),
    movement(
      "page-down", "page down", "Move a page down.", keys: ["PgDn"],
      run: { $0.move(by: $0.pageRows) }),
    movement(
      "page-up", "page up", "Move a page up.", keys: ["PgUp"], run: { $0.move(by: -$0.pageRows) }),
    new,
  ]

  private static func movement(
    _ id: ActionID, _ title: String, _ summary: String, keys: [KeySequence],
    footer: FooterPlace? = nil, run: @escaping @MainActor (any MovableSelection) -> Void
  ) -> FeatureAction<any MovableSelection> {
    FeatureAction(
      id: id, title: title, summary: summary, keys: keys, section: "Moving", footer: footer,
      run: run)
  }
}

/// A list whose selection can be moved.
@MainActor package protocol MovableSelection: AnyObject {
  var count: Int { get }
  /// Rows that fit on the screen, at least 1.
  var pageRows: Int { get }
  func move(by distance: Int)
  func moveToNew()
}
