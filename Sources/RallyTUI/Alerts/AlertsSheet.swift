import RallyDomain
import RallySystem
import RallyText
import RallyWire
import TerminalKit

/// My alerts, and a key that removes one.
struct AlertsSheet: View {
  @Environment(\.ageClock) private var ageClock
  @Environment(\.alertsStore) private var alertsStore
  @Environment(\.currentLocationProvider) private var currentLocationProvider
  @Environment(\.interface) private var interface
  @Environment(\.mapStore) private var mapStore
  @Environment(\.socialStore) private var socialStore
  @State private var selection: LocationAlert.ID?

  var body: some View {
    let selected = selected
    AlertsList(
      alerts: alertsStore.alerts, failure: alertsStore.loadState.failure?.description,
      scene: AlertScene(
        socialStore, mapStore, currentLocationProvider, at: ageClock.now),
      now: ageClock.now,
      selection: Binding(get: { selected?.id }, set: { selection = $0 })
    )
    .aging(if: !alertsStore.alerts.isEmpty)
    .actions(Self.all, in: self)
    .onAction(.leave) { interface.overlay = nil }
  }

  private var selected: LocationAlert? {
    alertsStore.alerts.first { $0.id == selection } ?? alertsStore.alerts.first
  }

  private func removeSelected() {
    guard let alert = selected else { return }
    let (store, interface) = (alertsStore, interface)
    Task {
      let outcome = await interface.act("Removing an alert") { await store.remove(alert.id) }
      if outcome.value == true {
        interface.say("You no longer hear when \(alert.who) \(alert.what()).", kind: .success)
      }
    }
  }
}

extension AlertsSheet {
  static let remove = FeatureAction<Self>(
    id: "alert.remove", name: "remove-alert", title: "remove",
    summary: "Remove the selected alert.", keys: ["x"], section: "Alerts",
    disabled: { $0.selected == nil ? "There is no alert to remove." : nil },
    run: { $0.removeSelected() })

  static let all = [remove]
}

/// The sheet without its actions, so that tests can render it.
struct AlertsList: View {
  let alerts: [LocationAlert]
  /// Why they cannot be read, in a sentence.
  var failure: String?
  let scene: AlertScene
  let now: WireTime
  let selection: Binding<LocationAlert.ID?>

  @Environment(\.terminalSize) private var terminalSize

  var body: some View {
    Box(title: "Alerts") {
      VStack(spacing: 0) {
        if let failure { Paragraph("Your alerts cannot be read. \(failure)", .danger) }
        if alerts.isEmpty, failure == nil {
          Paragraph(
            "None. :tell bob near 500m tells you once when @bob is within 500 m of you, "
              + ":tell bob leaves here when they leave.", .dim)
        } else if !alerts.isEmpty {
          List(alerts, id: \.id, selection: selection) { alert, isSelected in
            Line(
              Span(alert.who.padded(toCells: 14), isSelected ? .selection : .normal),
              Span(" \(alert.what())"),
              Span(alert.end(at: now).map { "  \($0)" } ?? "", .dim))
          }
          .frame(height: min(alerts.count, max(3, terminalSize.height - 12)))
          if let obstacle { Paragraph("For now: \(obstacle).", .warning) }
        }
        Paragraph("Decided on this machine while Rally is open. Nobody is told of them.", .dim)
        Text("")
        KeyHints(
          (alerts.isEmpty ? [] : [(AlertsSheet.remove.action, "remove")]) + [(.back, "close")])
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 76)
  }

  /// Why the selected one cannot be met now.
  private var obstacle: String? {
    alerts.first { $0.id == selection.wrappedValue }?.obstacle(in: scene, at: now)
  }
}

/// Makes an alert of what is typed after `:tell`.
struct TellCommand {
  let alertsStore: AlertsStore
  let missionsStore: MissionsStore
  let groundStore: GroundStore
  let interface: Interface
  /// What is known when the place was found.
  let scene: @MainActor () -> AlertScene

  func run(_ words: [String]) {
    guard !words.isEmpty else { return interface.overlay = .alerts }
    Task.immediate {
      do throws(FieldProblem) {
        var request = try AlertRequest(words, now: .now)
        let missions = missionsStore.missionsOnMap(at: .now)
        let place = try await request.findPlace(among: missions) {
          [groundStore] text throws(FieldProblem) in
          try await groundStore.resolve(text)
        }
        let added = try await alertsStore.add(request, at: place, in: scene())
        interface.history.close("Adding an alert")
        if let unkept = added.unkept {
          interface.say("\(added.sentence) That ends with Rally: \(unkept)", kind: .warning)
        } else {
          interface.say(added.sentence, kind: .success)
        }
      } catch {
        interface.say(error.advice, kind: .warning)
      }
    }
  }

  /// Completes a friend's name and the word after it.
  static func completions(of words: [String], friends: [String]) -> [String] {
    let offered: [String]
    switch words.count {
    case 2:
      let isNamed = words[1].hasPrefix("@")
      offered =
        friends.map { isNamed || $0 == AlertRequest.anybody ? "@\($0)" : $0 }
        + (isNamed ? [] : [AlertRequest.anybody])
    case 3: offered = ["near", "leaves"]
    default: return []
    }
    let start = words.dropLast().joined(separator: " ")
    return offered.filter { $0.hasPrefix(words[words.count - 1]) }.sorted().map { "\(start) \($0)" }
  }
}
