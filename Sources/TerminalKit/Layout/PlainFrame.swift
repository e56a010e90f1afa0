/// Screen layout in plain mode: the same rows on every tab.
enum PlainFrame {
  /// Tabs and the last notice above the content, status and key hints below.
  static let insets = EdgeInsets(top: 2, leading: 0, bottom: 2, trailing: 0)
}
