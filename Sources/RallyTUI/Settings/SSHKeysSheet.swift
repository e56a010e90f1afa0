import FoundationEssentials
import RallyClient
import RallyDomain
import RallySystem
import RallyText
import RallyWire
import RallyWords
import TerminalKit

/// My SSH keys, and keys that add and remove one.
struct SSHKeysSheet: View {
  @Environment(\.ageClock) private var ageClock
  @Environment(\.interface) private var interface
  @Environment(\.terminalSize) private var terminalSize
  @State private var sshKeysStore: SSHKeysStore
  @State private var selection: UUID?
  @State private var isAdding = false

  init(_ store: @autoclosure @escaping @MainActor () -> SSHKeysStore) {
    _sshKeysStore = State(wrappedValue: store())
  }

  var body: some View { content.task { await sshKeysStore.fetchKeys() } }

  @ViewBuilder private var content: some View {
    if isAdding {
      SSHKeyForm(sshKeysStore: sshKeysStore) { isAdding = false }
    } else {
      Box(title: "SSH keys that come in as you") { rows.padding(horizontal: 1) }
        .frame(maxWidth: 68)
        .aging(if: !sshKeysStore.keys.isEmpty)
        .actions(Self.all, in: self)
        .onAction(.leave) { interface.overlay = nil }
    }
  }

  private var rows: some View {
    let keys = sshKeysStore.keys
    let selected = selected
    return VStack(spacing: 0) {
      if sshKeysStore.server == .embedded {
        Paragraph(
          "Nobody comes in to this machine's own server over SSH. Run `rally serve` for your "
            + "group, and `rally serve ssh setup` there.", .dim)
      } else {
        Paragraph(
          "Where the server's host has a door for SSH, `ssh rally@HOST` opens Rally with one of "
            + "these keys on any machine.", .dim)
      }
      if !keys.isEmpty {
        List(keys, id: \.id, selection: Binding(get: { selected?.id }, set: { selection = $0 })) {
          key, isSelected in
          Line(
            Span(
              key.name.cleanedForDisplay.padded(toCells: 26),
              isSelected ? .selection : .normal),
            Span(lastUse(of: key), .dim))
        }
        .frame(height: min(keys.count, 8, max(2, terminalSize.height - 11)))
        if let selected { Text(selected.fingerprint, .dim) }
      } else if !sshKeysStore.isBusy, problem == nil {
        Text("None yet.", .dim)
      }
      if sshKeysStore.isBusy { ProgressText("One moment…") }
      if let problem { Paragraph(problem, .danger) }
      Text("")
      KeyHints(
        (canAdd ? [(Self.add.action, "add")] : [])
          + (keys.isEmpty ? [] : [(Self.remove.action, "remove")]) + [(.back, "close")])
    }
  }

  private func lastUse(of key: SSHKeyRecord) -> String {
    key.lastUsedAt.map { "last used \(Age.sentence($0, at: ageClock.now))" } ?? "never used"
  }

  private var problem: String? {
    sshKeysStore.problem
  }

  private var canAdd: Bool { sshKeysStore.server != .embedded }

  private var selected: SSHKeyRecord? {
    sshKeysStore.keys.first { $0.id == selection } ?? sshKeysStore.keys.first
  }

  private func removeSelected() {
    guard let key = selected else { return }
    let (store, interface) = (sshKeysStore, interface)
    let name = key.name.cleanedForDisplay
    interface.question = Question(
      id: Self.remove.id, title: "Remove \(name)?",
      consequences: ["It opens no new session. Sessions that it began go on until they end."],
      verb: "Remove", safeVerb: "Keep"
    ) {
      interface.start("Removing a key", saying: OutcomeText.removedKey(name), kind: .success) {
        await store.remove(key)
      }
    }
  }
}

/// Takes a public key.
private struct SSHKeyForm: View {
  let sshKeysStore: SSHKeysStore
  let close: @MainActor () -> Void

  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface
  @State private var line = ""
  @State private var problem: String?

  var body: some View {
    Box(title: "Add an SSH key") {
      VStack(spacing: 0) {
        Paragraph("Paste the line of a file like ~/.ssh/id_ed25519.pub:", .dim)
        FormRow(label: "Public key", text: $line, isFocused: true, placeholder: "ssh-ed25519 AAAA…")
        if let problem { Paragraph("! \(problem)", .danger) }
        Text("")
        FormButton(
          title: "Add it", waiting: "Adding it", isWaiting: sshKeysStore.isChanging,
          hint: "\(actions.table.way(to: .back)) adds none ", hintAction: .back, submit: submit)
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 68)
    .onAction(.submit) { submit() }
    .onAction(.back) { close() }
    .onAction(.leave) { close() }
  }

  private func submit() {
    let (store, interface, line) = (sshKeysStore, interface, line)
    Task {
      switch await interface.act("Adding a key", { await store.add(line) }) {
      case .done(let key):
        interface.say(
          "\(key.name.cleanedForDisplay) added; it counts once you came in with it.", kind: .success
        )
        close()
      case .refused(let error): problem = error.description
      case .invalid(let wrong): problem = wrong.advice
      case .notStarted: break
      }
    }
  }
}

extension SSHKeysSheet {
  static let add = FeatureAction<Self>(
    id: "ssh-key.add", name: "add-ssh-key", title: "add",
    summary: "Let an SSH key in as you.", keys: ["a"], section: "SSH keys",
    disabled: { $0.canAdd ? nil : "Nobody comes in to this machine's own server over SSH." },
    run: { $0.isAdding = true })

  static let remove = FeatureAction<Self>(
    id: "ssh-key.remove", name: "remove-ssh-key", title: "remove",
    summary: "Let an SSH key in no longer.", keys: ["x"], section: "SSH keys",
    disabled: { $0.selected == nil ? "There is no SSH key to remove." : nil },
    run: { $0.removeSelected() })

  static let all = [add, remove]
}
