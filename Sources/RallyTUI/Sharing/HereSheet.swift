import RallyDomain
import RallyText
import RallyWire
import TerminalKit

/// The choice of where one is, when a name is only the beginning of others.
struct HereSheet: View {
  let choice: HereChoice

  @Environment(\.interface) private var interface
  @Environment(\.locationSharingStore) private var locationSharingStore

  var body: some View {
    Box(title: "Where are you?") {
      VStack(spacing: 0) {
        Paragraph("No place is called \(choice.request.place.cleanedForDisplay).", .dim)
        PlaceChoices(places: choice.places) { place in
          interface.overlay = nil
          HereActs(store: locationSharingStore, interface: interface).take(place, of: choice)
        }
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 56)
    .onAction(.leave) { interface.overlay = nil }
    .onAction(.back) { interface.overlay = nil }
  }
}

/// Says where I am, by what was typed or chosen.
struct HereActs {
  let store: LocationSharingStore
  let interface: Interface

  /// - Parameter text: As typed, such as `Lisbon for 2h`.
  func begin(_ text: String) {
    Task {
      if let choice = await store.hereChoice(text) { return interface.overlay = .here(choice) }
      let end = (try? HereRequest(text))?.end
      announce(
        await interface.act("Saying where you are") { await store.setHere(text) }, until: end)
    }
  }

  func take(_ place: Place, of choice: HereChoice) {
    Task {
      announce(
        await interface.act("Saying where you are") {
          await store.setHere(place, as: choice.request)
        }, until: choice.request.end)
    }
  }

  private func announce(_ outcome: IntentOutcome<LocationFix>, until end: String?) {
    switch outcome {
    case .done(let me):
      interface.say(
        "You are at \(me.placeName ?? me.coordinate.description)\(end.map { " for \($0)" } ?? ""):"
          + " \(store.sharingSentence).",
        kind: .success)
    case .invalid(let problem): interface.say(problem.advice, kind: .warning)
    case .refused, .notStarted: break
    }
  }
}
