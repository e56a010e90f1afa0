import Foundation

/// The search and sort key of a name: without case, accents or width.
///
/// Folded here instead of in the database, so that all engines behave alike.
package enum NameKey {
  package static func folded(_ text: String) -> String {
    text.folding(
      options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil
    )
    .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
