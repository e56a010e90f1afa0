import RallyDomain
import RallyState
import RallySystem
import TerminalKit

/// Who sees where one is, and whether one is a ghost: the sentence, or what there is room for.
///
/// It stands on every tab at every size, in one place or another of the frame.
struct WhoSeesYou: View {
  /// Cells that it may take, with the blanks after it.
  let room: Int
  /// Whether nothing stands after it in its row.
  var isLast = false
  @Environment(\.frameSummary) private var frameSummary

  var body: some View {
    let sharing = frameSummary.sharing.value
    Text(
      Self.text(
        sharing.text, short: frameSummary.sharingShort.value, room: room, isLast: isLast),
      sharing.style)
  }

  /// With blanks after it, as far as there is room for them.
  static func text(
    _ sentence: String, short: String, room: Int, isLast: Bool = false
  ) -> String {
    let gap = isLast ? " " : "  "
    for text in ["\(sentence)\(gap)", "\(short)\(gap)", "\(short) "] where text.cellWidth <= room {
      return text
    }
    return short.truncated(toCells: max(0, room))
  }
}
