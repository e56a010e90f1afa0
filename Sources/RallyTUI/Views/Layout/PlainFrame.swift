/// Where things stand on the screen of a screen reader: the same rows on every tab.
enum PlainFrame {
  /// The tabs and what was said last above the content, the status and the keys below it.
  static let insets = EdgeInsets(top: 2, leading: 0, bottom: 2, trailing: 0)
}
