import FoundationEssentials
import RallyClient
import RallyDomain
import RallySystem
import RallyText
import RallyWire
import RallyWords
import TerminalKit

/// My phones, and keys that add and revoke one.
struct PhonesSheet: View {
  @Environment(\.ageClock) private var ageClock
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.privacyRulesService) private var privacyRulesService
  @Environment(\.interface) private var interface
  @State private var phonesStore: PhonesStore
  @State private var selection: UUID?

  init(_ store: @autoclosure @escaping @MainActor () -> PhonesStore) {
    _phonesStore = State(wrappedValue: store())
  }

  var body: some View { content.task { await phonesStore.fetchPhones() } }

  @ViewBuilder private var content: some View {
    if let setup = phonesStore.setup {
      PhoneSetupSheet(setup: setup) { phonesStore.closeSetup() }
    } else {
      let selected = selected
      PhonesList(
        phones: phonesStore.phones, isEmbedded: phonesStore.server == .embedded,
        isBusy: phonesStore.isBusy, problem: problem, hasOwnRules: hasOwnRules,
        now: ageClock.now,
        selection: Binding(get: { selected?.id }, set: { selection = $0 })
      )
      .aging(if: !phonesStore.phones.isEmpty)
      .actions(Self.all, in: self)
      .onAction(.leave) { interface.overlay = nil }
    }
  }

  private var problem: String? {
    phonesStore.problem
  }

  private var selected: PhoneRecord? {
    phonesStore.phones.first { $0.id == selection } ?? phonesStore.phones.first
  }

  /// Whether there are zones or hours that hold for no phone.
  private var hasOwnRules: Bool { !privacyRulesService.kept.own.isEmpty }

  private func keepRules() {
    let (store, interface) = (locationSharingStore, interface)
    Task {
      interface.history.close("A change of zones and hours")
      interface.say(await store.keepRules(withAccount: true))
    }
  }

  private var noPhones: String? {
    phonesStore.server == .embedded
      ? "A phone cannot reach this machine's own server. Run rally serve for your group."
      : phonesStore.isChanging ? "One moment." : nil
  }

  private func add(_ app: PhoneApp) {
    let (store, interface) = (phonesStore, interface)
    Task { await interface.act("Adding a phone") { await store.addPhone(app) } }
  }

  private func revokeSelected() {
    guard let phone = selected else { return }
    let (store, interface) = (phonesStore, interface)
    interface.question = Question(
      id: Self.revoke.id, title: "Revoke \(phone.name.cleanedForDisplay)?",
      consequences: ["What it sends from now on is refused. It can be added again."],
      verb: "Revoke", safeVerb: "Keep"
    ) {
      interface.start("Revoking", saying: OutcomeText.revoked(phone), kind: .success) {
        await store.revoke(phone)
      }
    }
  }
}

extension PhonesSheet {
  static let addOwnTracks = adding(.owntracks, key: "o")
  static let addOverland = adding(.overland, key: "v")
  static let addTraccar = adding(.traccar, key: "t")
  static let addGPSLogger = adding(.gpslogger, key: "l")
  static let revoke = FeatureAction<Self>(
    id: "phone.revoke", name: "revoke-phone", title: "revoke",
    summary: "End the phone's credential at once.", keys: ["x"], section: "Phones",
    disabled: { $0.selected == nil ? "There is no phone to revoke." : nil },
    run: { $0.revokeSelected() })

  static let keepRules = FeatureAction<Self>(
    id: "phone.keep-zones", name: "keep-zones-with-account", title: "keep zones",
    summary: "Keep your zones and hours with your account, so that they hold for phones too.",
    keys: ["a"], section: "Phones", shown: { $0.hasOwnRules }, run: { $0.keepRules() })

  static let adds = [addOwnTracks, addOverland, addTraccar, addGPSLogger]
  static let all = adds + [revoke, keepRules]

  private static func adding(_ app: PhoneApp, key: KeySequence) -> FeatureAction<Self> {
    FeatureAction(
      id: ActionID("phone.add.\(app.rawValue)"), name: "add-\(app.rawValue)", title: app.title,
      summary: "Let a phone with \(app.title) report where you are.", keys: [key],
      section: "Phones", disabled: { $0.noPhones }, run: { $0.add(app) })
  }
}

/// The sheet without its actions, so that tests can render it.
struct PhonesList: View {
  let phones: [PhoneRecord]
  let isEmbedded: Bool
  let isBusy: Bool
  let problem: String?
  /// Whether there are zones or hours that hold on this machine only.
  var hasOwnRules = false
  let now: WireTime
  let selection: Binding<UUID?>

  @Environment(\.terminalSize) private var terminalSize

  var body: some View {
    Box(title: "Phones that report where you are") {
      VStack(spacing: 0) {
        if isEmbedded {
          Paragraph(
            "A phone cannot reach this machine's own server. Run `rally serve` for your group, "
              + "sign in there, and add the phone then.", .dim)
        } else if phones.isEmpty, !isBusy, problem == nil {
          Paragraph("None yet. Choose the app that the phone has:", .dim)
        }
        if !phones.isEmpty {
          List(phones, id: \.id, selection: selection) { phone, isSelected in
            Line(
              Span(
                phone.name.cleanedForDisplay.padded(toCells: 22),
                isSelected ? .selection : .normal),
              Span(PhoneText.report(of: phone, at: now), .dim))
          }
          .frame(height: min(phones.count, 8, max(2, terminalSize.height - 12)))
          if let selected = phones.first(where: { $0.id == selection.wrappedValue }),
            let problem = PhoneText.problem(of: selected, at: now)
          {
            Paragraph(problem.cleanedForDisplay, .warning)
          }
        }
        if isBusy { ProgressText("One moment…") }
        if let problem { Paragraph(problem, .danger) }
        if hasOwnRules, !isEmbedded {
          Paragraph(
            "Your zones and hours are kept on this machine and hold for no phone. Kept with your "
              + "account, the server applies them to phones too.", .warning)
          KeyHints([(PhonesSheet.keepRules.action, "keep them with the account")])
        }
        Text("")
        if !isEmbedded {
          KeyHints(PhonesSheet.adds.map { ($0.action, $0.action.title) })
        }
        KeyHints(
          (phones.isEmpty ? [] : [(PhonesSheet.revoke.action, "revoke")]) + [(.back, "close")])
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 68)
  }
}

/// What goes into a phone, once: its link as a QR code where there is room, and what to type.
struct PhoneSetupSheet: View {
  let setup: PhoneSetup
  let close: @MainActor () -> Void

  var body: some View {
    PhoneSetupCard(setup: setup)
      .onCopy { Clipping(text: setup.link, title: "the link for \(setup.app.title)") }
      .onAction(.back) { close() }
      .onAction(.leave) { close() }
  }
}

/// The sheet without its actions, so that tests and pictures can render it.
public struct PhoneSetupCard: View {
  private let setup: PhoneSetup

  @Environment(\.isPlain) private var isPlain
  @Environment(\.terminalSize) private var terminalSize

  public init(setup: PhoneSetup) { self.setup = setup }

  public var body: some View {
    let (code, problem) = code
    Box(title: setup.app.title) {
      VStack(spacing: 0) {
        if let code, fits(code) {
          QRCodeView(code: code)
          let rows = terminalSize.height - code.size.height - Self.frame.height
          if let warning = setup.warning, rows >= 2 { Paragraph(warning, .warning) }
          if rows >= 5 {
            Paragraph("\(setup.app.instruction) It is shown only this once.", .dim)
          }
        } else {
          if let code, !isPlain {
            Paragraph(
              "With \(code.size.width + Self.frame.width)x\(code.size.height + Self.frame.height) "
                + "there is a QR code here. Copy the link, or type:", .dim)
          }
          if let problem, !isPlain {
            Paragraph("\(problem.sentence) Copy the link, or type:", .dim)
          }
          ForEach(setup.settings, id: \.self) { setting in
            let label = setting.name.padded(toCells: Self.labelWidth)
            if Self.labelWidth + setting.value.count <= width {
              Line(Span(label, .dim), Span(setting.value, .accent))
            } else {
              Text(label, .dim)
              Paragraph(setting.value, .accent)
            }
          }
          if let warning = setup.warning { Paragraph(warning, .warning) }
          Paragraph("It is shown only this once.", .dim)
        }
        KeyHints([(.copy, "copy the link"), (.back, "done")])
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: max(Self.width, (code?.size.width ?? 0) + Self.frame.width))
  }

  /// The code of the link, or why there is none.
  private var code: (QRCode?, QRCode.Problem?) {
    do throws(QRCode.Problem) {
      return (try QRCode(setup.link), nil)
    } catch {
      return (nil, error)
    }
  }

  /// Cells of the widest line.
  private var width: Int { min(Self.width, terminalSize.width) - Self.frame.width }

  private func fits(_ code: QRCode) -> Bool {
    !isPlain && code.size.width + Self.frame.width <= terminalSize.width
      && code.size.height + Self.frame.height <= terminalSize.height
  }

  private static let width = 76
  private static let labelWidth = 23
  /// Columns and rows around the code: the box, its margins, the keys.
  private static let frame = Size(width: 6, height: 5)
}
