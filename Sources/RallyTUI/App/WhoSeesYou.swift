import RallyDomain
import TerminalKit

/// Who sees where one is, and whether one is a ghost: the sentence, or what there is room for.
///
/// It stands on every tab at every size, in one place or another of the frame.
struct WhoSeesYou: View {
  /// Cells that it may take, with the blanks after it.
  let room: Int
  @Environment(\.frameSummary) private var frameSummary

  var body: some View {
    let sharing = frameSummary.sharing.value
    Text(Self.text(sharing.text, short: frameSummary.sharingShort.value, room: room), sharing.style)
  }

  /// With blanks after it, as far as there is room for them.
  static func text(_ sentence: String, short: String, room: Int) -> String {
    for text in ["\(sentence)  ", "\(short)  ", "\(short) "] where text.cellWidth <= room {
      return text
    }
    return short.truncated(toCells: max(0, room))
  }
}
