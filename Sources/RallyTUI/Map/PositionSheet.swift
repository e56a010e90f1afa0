import FoundationEssentials
import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// A friend, and everything that they let one know of where they are.
struct PositionDetail: View {
  let position: FriendPosition
  let now: WireTime

  @Environment(\.socialStore) private var socialStore

  var body: some View {
    VStack(spacing: 0) {
      Text(position.profile.displayName, .title)
      Text(position.profile.handle, .dim)
      ForEach(questions, id: \.self) { Text($0, .accent) }
      PositionFacts(position: position, now: now)
    }
    .padding(horizontal: 1)
  }

  private var questions: [String] {
    socialStore.entries(for: [position.profile]).flatMap { $0.shortQuestions(at: now) }
  }
}

/// The details of a friend's position, over the map.
struct PositionSheet: View {
  let friendID: UUID

  @Environment(\.mapStore) private var mapStore
  @Environment(\.interface) private var interface

  var body: some View {
    Box(title: "Where") {
      if let position = mapStore.position(of: friendID) {
        VStack(spacing: 0) {
          PositionDetail(position: position, now: .now)
          Text("\(position.coordinate)  from \(position.source)", .dim).padding(horizontal: 1)
        }
      } else {
        Text("This friend shares no position with you any more.", .dim)
      }
    }
    .frame(maxWidth: 56)
    .onCopy(disabled: mapStore.position(of: friendID) == nil ? "There is no position." : nil) {
      mapStore.position(of: friendID).map(Clipping.init)
    }
    .onAction(.leave) { interface.overlay = nil }
    .onAction(MapActions.details.id) { interface.overlay = nil }
  }
}

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
    .task { locationSharingStore.locateMe() }
    .onAction(.leave) { interface.overlay = nil }
    .onAction(MapActions.sources.id) { interface.overlay = nil }
  }

  private func sent(at now: WireTime) -> String {
    let sharing = locationSharingStore.sharingSentence
    guard let report = locationSharingStore.lastReport else { return sharing }
    return "\(sharing) · \(report.sentence { Age.sentenceByMinute($0, at: now) })"
  }
}
