import RallyClient
import RallyDomain
import RallyWire
import RallyWords
import TerminalKit

/// Whether calendar programs can read my missions, and keys that make and revoke the address.
struct CalendarSheet: View {
  @Environment(\.interface) private var interface
  @State private var calendarStore: CalendarStore

  init(_ store: @autoclosure @escaping @MainActor () -> CalendarStore) {
    _calendarStore = State(wrappedValue: store())
  }

  var body: some View {
    Box(title: "Your missions in a calendar program") { rows.padding(horizontal: 1) }
      .frame(maxWidth: 76)
      .task { await calendarStore.fetchAddress() }
      .actions(Self.all, in: self)
      .onCopy(disabled: calendarStore.made == nil ? "No address is shown here." : nil) {
        calendarStore.made.map { Clipping(text: $0.url, title: "the address") }
      }
      .onAction(.back) { close() }
      .onAction(.leave) { close() }
  }

  private var rows: some View {
    let (made, record) = (calendarStore.made, calendarStore.record)
    return VStack(spacing: 0) {
      if let made {
        Paragraph(made.url, .accent)
        if let warning = made.warning { Paragraph(warning, .warning) }
        Paragraph(
          "It is shown only this once: add it in your calendar program. Whoever has it sees your "
            + "missions.", .dim)
      } else if let record {
        Paragraph(
          "There is an address since \(Age.day(record.createdAt)). It was shown only once; if it is "
            + "lost, revoke it and make another one.")
      } else if isEmbedded {
        Paragraph(
          "Nobody can reach a calendar on this machine's own server: `rally missions calendar "
            + "--output FILE` writes one. Or run `rally serve` for your group, and sign in there.",
          .dim)
      } else if !calendarStore.isBusy, problem == nil {
        Paragraph(
          "None yet. A private address lets calendar programs read your missions: times and "
            + "places, and nobody's name. Whoever has it sees them, until you revoke it.", .dim)
      }
      if calendarStore.isBusy { ProgressText("One moment…") }
      if let problem { Paragraph(problem, .danger) }
      Text("")
      KeyHints(
        (made == nil ? [] : [(.copy, "copy it")])
          + (cannotMake == nil ? [(Self.make.action, "make an address")] : [])
          + (record == nil ? [] : [(Self.revoke.action, "revoke it")]) + [(.back, "close")])
    }
  }

  private var isEmbedded: Bool { calendarStore.server == .embedded }

  private var problem: String? { calendarStore.problem }

  private var cannotMake: String? {
    if isEmbedded { return "Nobody can reach a calendar on this machine's own server." }
    return calendarStore.record == nil ? nil : "Your calendar has an address; revoke it first."
  }

  private func makeAddress() {
    let (store, interface) = (calendarStore, interface)
    Task { await interface.act("Making an address") { await store.makeAddress() } }
  }

  private func revokeAddress() {
    let (store, interface) = (calendarStore, interface)
    interface.question = Question(
      id: Self.revoke.id, title: "Revoke the address of your calendar?",
      consequences: ["Calendar programs that have it read nothing any more."],
      verb: "Revoke", safeVerb: "Keep"
    ) {
      interface.start("Revoking", saying: OutcomeText.calendarRevoked, kind: .success) {
        await store.revokeAddress()
      }
    }
  }

  private func close() {
    calendarStore.forgetMade()
    interface.overlay = nil
  }
}

extension CalendarSheet {
  static let make = FeatureAction<Self>(
    id: "calendar.make", name: "make-calendar-address", title: "make",
    summary: "Make the private address at which calendar programs read your missions.",
    keys: ["a"], section: "Calendar", disabled: { $0.cannotMake }, run: { $0.makeAddress() })

  static let revoke = FeatureAction<Self>(
    id: "calendar.revoke", name: "revoke-calendar-address", title: "revoke",
    summary: "End the address of your calendar at once; asks first.", keys: ["x"],
    section: "Calendar",
    disabled: { $0.calendarStore.record == nil ? OutcomeText.noCalendarAddress : nil },
    run: { $0.revokeAddress() })

  static let all = [make, revoke]
}
