import Foundation

/// The form of a name that is searched and sorted by: without case, accents or width.
///
/// Folded here and not in the database, so that every engine finds and orders alike.
enum NameKey {
  static func folded(_ text: String) -> String {
    text.folding(
      options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil
    )
    .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
