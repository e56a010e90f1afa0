import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// My zones and sharing hours, where they are kept, and keys that remove one and move them.
struct PrivacySheet: View {
  @Environment(\.currentLocationProvider) private var currentLocationProvider
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.privacyRulesService) private var privacyRulesService
  @Environment(\.interface) private var interface
  @State private var selection: PrivacyRow.ID?

  var body: some View {
    let selected = selected
    PrivacyList(
      kept: privacyRulesService.kept,
      held: privacyRulesService.sentence(of: currentLocationProvider),
      selection: Binding(get: { selected?.id }, set: { selection = $0 })
    )
    .actions(Self.all, in: self)
    .onAction(.leave) { interface.overlay = nil }
  }

  private var selected: PrivacyRow? {
    let rows = PrivacyRow.rows(privacyRulesService.kept)
    return rows.first { $0.id == selection } ?? rows.first
  }

  private func removeSelected() {
    guard let row = selected else { return }
    let (store, interface) = (locationSharingStore, interface)
    Task {
      interface.history.close("A change of zones and hours")
      switch row.id {
      case .zone(let name): interface.say(await store.removeZone(name))
      case .hours(let name): interface.say(await store.removeHours(name))
      }
    }
  }

  private func keep(withAccount: Bool) {
    let (store, interface) = (locationSharingStore, interface)
    Task {
      interface.history.close("A change of zones and hours")
      interface.say(await store.keepRules(withAccount: withAccount))
    }
  }
}

extension PrivacySheet {
  static let remove = FeatureAction<Self>(
    id: "privacy.remove", name: "remove-zone", title: "remove",
    summary: "Remove the selected zone or hours.", keys: ["x"], section: "Sharing",
    disabled: { $0.selected == nil ? "There is nothing to remove." : nil },
    run: { $0.removeSelected() })
  static let keepWithAccount = FeatureAction<Self>(
    id: "privacy.keep-with-account", name: "keep-zones-everywhere", title: "keep with the account",
    summary: "Keep your zones and hours with your account: they hold for phones, and on your other"
      + " machines.", keys: ["a"], section: "Sharing",
    disabled: {
      $0.privacyRulesService.kept.own.isEmpty ? "Nothing is kept on this machine alone." : nil
    }, run: { $0.keep(withAccount: true) })
  static let keepHere = FeatureAction<Self>(
    id: "privacy.keep-here", name: "keep-zones-here", title: "keep here",
    summary: "Keep your zones and hours on this machine only; they hold for no phone then.",
    keys: ["A"], section: "Sharing",
    disabled: {
      $0.privacyRulesService.kept.account == nil ? "Nothing is kept with your account." : nil
    }, run: { $0.keep(withAccount: false) })

  static let all = [remove, keepWithAccount, keepHere]
}

extension Interface {
  /// Says what a command about zones or hours led to.
  func say(_ outcome: LocationSharingStore.PrivacyOutcome) {
    switch outcome {
    case .success(let sentence): say(sentence, kind: .success)
    case .failure(let problem): say(problem.advice, kind: .warning)
    }
  }
}

/// A zone or hours.
struct PrivacyRow: Identifiable {
  enum ID: Hashable {
    case zone(String)
    case hours(String)
  }

  var id: ID
  var name: String
  var text: String
  var isWithAccount: Bool

  static func rows(_ kept: KeptPrivacyRules) -> [PrivacyRow] {
    kept.parts.flatMap { rules, isWithAccount in
      rules.zones.map {
        PrivacyRow(
          id: .zone($0.name), name: $0.name, text: $0.sentence, isWithAccount: isWithAccount)
      }
        + rules.hours.map {
          PrivacyRow(
            id: .hours($0.name), name: $0.name,
            text: "leaves \($0.sentence) \(rules.timeZone) only", isWithAccount: isWithAccount)
        }
    }
  }
}

/// The sheet without its actions, so that tests can render it.
struct PrivacyList: View {
  let kept: KeptPrivacyRules
  /// What is held back now; nil for nothing.
  let held: String?
  let selection: Binding<PrivacyRow.ID?>

  @Environment(\.terminalSize) private var terminalSize

  var body: some View {
    let rows = PrivacyRow.rows(kept)
    Box(title: "Zones and hours") {
      VStack(spacing: 0) {
        if rows.isEmpty {
          Paragraph(
            "None: what friends may see leaves from everywhere, at all hours. :zone home 300m holds "
              + "it back around here, :hours work mon-fri 9-18 outside of these hours.", .dim)
        } else {
          List(rows, id: \.id, selection: selection) { row, isSelected in
            Line(
              Span(row.name.padded(toCells: 15), isSelected ? .selection : .normal),
              Span(row.text), Span(row.isWithAccount ? "" : "  this machine", .dim))
          }
          .frame(height: min(rows.count, max(3, terminalSize.height - 12)))
        }
        if let held { Text(held, .warning) }
        Paragraph(place, .dim)
        Text("")
        if !rows.isEmpty {
          KeyHints(
            [(PrivacySheet.remove.action, "remove")]
              + (kept.own.isEmpty
                ? [] : [(PrivacySheet.keepWithAccount.action, "keep with the account")])
              + (kept.account == nil ? [] : [(PrivacySheet.keepHere.action, "keep here only")]))
        }
        KeyHints([(.back, "close")])
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 72)
  }

  private var place: String {
    if kept.isEmpty { return "Nobody is told of them." }
    return kept.account == nil
      ? "Kept on this machine: they hold for no phone. Nobody is told of them."
      : "Kept with your account: they hold for phones and your other machines. No friend is told."
  }
}
