import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// What says where I am, how old and how accurate it is, and why one is taken and each other not.
struct SourcesSheet: View {
  @Environment(\.ageClock) private var ageClock
  @Environment(\.currentLocationProvider) private var currentLocationProvider
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.interface) private var interface

  var body: some View {
    let now = ageClock.now
    let choice = currentLocationProvider.choice
    Box(title: "Where your position comes from") {
      VStack(spacing: 0) {
        if choice.candidates.isEmpty {
          Paragraph("Nothing measures here. :here Lisbon says where you are.", .dim)
        }
        ForEach(choice.candidates) { candidate in
          Line(
            Span(candidate.verdict.isTaken ? "▸ " : "  ", .accent),
            Span(
              candidate.id.padded(toCells: 11), candidate.verdict.isTaken ? .selection : .normal),
            Span(" \(candidate.verdict.sentence(at: now))"))
          Text("    \(candidate.summary { Age.sentenceByMinute($0, at: now) })", .dim)
        }
        Text("")
        Text(sent(at: now), .dim)
        KeyHints(joined: [([.back], "close")])
      }
      .padding(horizontal: 1)
      .aging()
    }
    .frame(maxWidth: 76)
    .task { locationSharingStore.askWhereIAm() }
    .onAction(.leave) { interface.overlay = nil }
    .onAction(MapActions.sources.id) { interface.overlay = nil }
  }

  private func sent(at now: WireTime) -> String {
    let sharing = locationSharingStore.sharingSentence
    guard let report = locationSharingStore.lastReport else { return sharing }
    return "\(sharing) · \(report.sentence { Age.sentenceByMinute($0, at: now) })"
  }
}
