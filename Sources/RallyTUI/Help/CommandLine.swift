import RallyDomain
import RallyMap
import RallySystem
import RallyText
import RallyWire
import RallyWords
import TerminalKit

/// Parses and completes commands: every action by its name, and a few commands with arguments. A
/// value type, so that tests need no screen.
struct CommandInput: Hashable {
  /// A command with arguments.
  enum Verb: String, CaseIterable {
    case policy, theme, zoom, add, here, go, streets, share, link, zone, hours, tell, invite
    case importFile = "import"

    var summary: String {
      switch self {
      case .policy: "policy [SIGNAL VALUE | auto]"
      case .theme: "theme \(ThemeSetting.allCases.map(\.rawValue).joined(separator: " | "))"
      case .zoom: "zoom LEVEL, from 0 to \(Int(Viewport.maximumZoom)) | world"
      case .add: "add USERNAME"
      case .here: "here CITY | 38.72,-9.14 [for 2h] | auto"
      case .go: "go CITY | 38.72,-9.14"
      case .streets: "streets [CITY]"
      case .share: "share off|city|area|precise [USERNAME] [2h | 21:00] | NAME mon-fri 9-18"
      case .link: "link [1h | 21:00] [city | area | precise] | end"
      case .zone: "zone [NAME 300m [city] [at PLACE] | off NAME]"
      case .hours: "hours [NAME mon-fri 9-18 | off NAME]"
      case .tell: "tell WHO near [500m] [PLACE] | leaves [PLACE]  [until TIME]"
      case .invite: "invite [CODE | LINK]"
      case .importFile: "import FILE"
      }
    }
  }

  enum Meaning: Hashable {
    case nothing
    case action(ActionID)
    case verb(Verb, [String])
    case unknown(String)
  }

  static let aliases: [String: ActionID] = [
    "q": ProgramActions.quit.id, "logout": Action.signOut.id,
  ]

  static func meaning(of text: String, table: ActionTable) -> Meaning {
    let words = text.split(separator: " ").map(String.init)
    guard let name = words.first else { return .nothing }
    if let verb = Verb(rawValue: name) { return .verb(verb, Array(words.dropFirst())) }
    if let id = aliases[name] { return .action(id) }
    if let action = table.action(named: name) { return .action(action.id) }
    return .unknown(name)
  }

  /// The command that may be meant by a name that none has; nil if none is like it.
  static func suggestion(for name: String, table: ActionTable) -> String? {
    NameSuggestion.of(
      name,
      among: Verb.allCases.map(\.rawValue) + aliases.keys.sorted() + table.actions.map(\.name))
  }

  /// Completions of the text, in the order in which Tab cycles through them.
  ///
  /// - Parameters:
  ///   - friends: Usernames that a command may name.
  ///   - finder: Knows the cities that a command may name.
  static func completions(
    of text: String, available: [AvailableAction], friends: [String] = [],
    finder: PlaceFinder = .none
  ) -> [String] {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    if words.count > 1 {
      return Verb(rawValue: words[0]).map {
        completions(of: $0, words, friends: friends, finder: finder)
      } ?? []
    }
    let names =
      available.map(\.action.name) + Verb.allCases.map(\.rawValue) + Self.aliases.keys.sorted()
    return Array(Set(names.filter { $0.hasPrefix(words[0]) })).sorted()
  }

  /// - Parameter words: What is typed, the command first; the last one is completed.
  private static func completions(
    of verb: Verb, _ words: [String], friends: [String], finder: PlaceFinder
  ) -> [String] {
    func second(_ choices: [String]) -> [String] {
      guard words.count == 2 else { return [] }
      return choices.filter { $0.hasPrefix(words[1]) }.map { "\(verb.rawValue) \($0)" }
    }
    switch verb {
    case .policy: return second(PolicySignal.allCases.map(\.name) + ["auto"])
    case .theme: return second(ThemeSetting.allCases.map(\.rawValue))
    case .zoom: return second(["world"])
    case .tell: return TellCommand.completions(of: words, friends: friends)
    case .share where words.count == 3:
      return friends.filter { $0.hasPrefix(words[2]) }.map { "share \(words[1]) \($0)" }
    case .share: return second(["off", "city", "area", "precise"])
    case .link where words.count == 3:
      return ["city", "area", "precise"].filter { $0.hasPrefix(words[2]) }.map {
        "link \(words[1]) \($0)"
      }
    case .link: return second(["1h", "2h", "tonight", "end"])
    case .here, .go, .streets:
      let typed = words.dropFirst().joined(separator: " ")
      let own = verb == .here && !typed.isEmpty ? second(["auto"]) : []
      return own + cities(typed, finder).map { "\(verb.rawValue) \($0)" }
    default: return []
    }
  }

  /// The largest cities that begin with a text, with the country where another one has the name.
  private static func cities(_ typed: String, _ finder: PlaceFinder) -> [String] {
    // A single letter would match a thousand.
    guard typed.count > 1 else { return [] }
    var names: [String] = []
    for place in finder.find(typed).prefix(50) {
      guard let name = place.name, name.foldedStarts(with: typed) else { continue }
      let whole = names.contains(name) ? "\(name), \(place.detail ?? "")" : name
      if !names.contains(whole) { names.append(whole) }
    }
    return Array(names.prefix(8))
  }
}

/// The command line at the bottom, with completion and history.
struct CommandField: View {
  @Environment(\.interface) private var interface
  @Environment(\.actions) private var actions
  @Environment(\.socialStore) private var socialStore
  @Environment(\.groundStore) private var groundStore
  @Environment(\.mapStore) private var mapStore
  @Environment(\.terminal) private var terminal
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.navigationService) private var navigationService
  @Environment(\.sharingCoordinator) private var sharingCoordinator
  @Environment(\.runtimePolicyCoordinator) private var runtimePolicyCoordinator
  @Environment(\.alertsStore) private var alertsStore
  @Environment(\.currentLocationProvider) private var currentLocationProvider
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.streetsActs) private var streetsActs
  @Environment(\.watchStore) private var watchStore
  @State private var text: String
  @State private var completions: [String] = []
  @State private var historyOffset = 0

  /// - Parameter start: What stands in it already.
  init(start: String = "") { _text = State(wrappedValue: start) }

  var body: some View {
    HStack(spacing: 0) {
      Text(":", .accent).frame(width: 1)
      TextField(text: $text, isFocused: true) { submit() }
      Text(hint, .dim)
    }
    .frame(height: 1)
    .onAction(.fieldNext) { complete(by: 1) }
    .onAction(.fieldPrevious) { complete(by: -1) }
    .onKey(KeyChord(.up)) { recall(by: 1) }
    .onKey(KeyChord(.down)) { recall(by: -1) }
    .onAction(.back) { interface.isCommandLineOpen = false }
  }

  /// The completions of what is typed, or the syntax of a command.
  private var hint: String {
    let offered = offered
    // What is typed already need not stand there again.
    let start = text.contains(" ") ? text.prefix { $0 != " " }.count + 1 : 0
    if let verb = CommandInput.Verb(rawValue: String(text.prefix { $0 != " " })),
      start == 0 || offered.isEmpty
    {
      return " \(verb.summary.dropFirst(start)) "
    }
    guard !text.isEmpty, !offered.isEmpty else {
      return
        " \(actions.table.way(to: .fieldNext)) completes  \(actions.table.way(to: .back)) leaves "
    }
    return " \(offered.prefix(4).map { $0.dropFirst(start) }.joined(separator: "  ")) "
  }

  private var offered: [String] {
    CommandInput.completions(
      of: text, available: actions.available, friends: socialStore.friends.map(\.username),
      finder: .world)
  }

  private func complete(by step: Int) {
    if !completions.contains(text) {
      completions = offered
      if let first = completions.first { text = first }
    } else if let next = completions.element(after: text, step: step) {
      text = next
    }
  }

  private func recall(by step: Int) -> Bool {
    let history = interface.commands
    let offset = min(max(0, historyOffset + step), history.count)
    historyOffset = offset
    text = offset == 0 ? "" : history[history.count - offset]
    return true
  }

  private func submit() {
    let typed = text
    interface.isCommandLineOpen = false
    if !typed.isEmpty, interface.commands.last != typed { interface.commands.append(typed) }
    switch CommandInput.meaning(of: typed, table: actions.table) {
    case .nothing: break
    case .action(let id):
      if !actions.perform(id) { interface.say("“\(typed)” cannot be done here.", kind: .warning) }
    case .verb(let verb, let words): run(verb, words)
    case .unknown(let name):
      interface.say(
        "There is no command “\(name)”. "
          + (CommandInput.suggestion(for: name, table: actions.table).map {
            "Did you mean “\($0)”?"
          }
            ?? "\(actions.table.way(to: ProgramActions.help.id)) lists the keys."),
        kind: .warning)
    }
  }

  private func run(_ verb: CommandInput.Verb, _ words: [String]) {
    switch verb {
    case .policy:
      guard !words.isEmpty else { return interface.overlay = .policy }
      do {
        try runtimePolicyCoordinator.override(words)
        interface.say(runtimePolicyCoordinator.policySentence.text)
      } catch {
        interface.say(error.advice, kind: .warning)
      }
    case .theme: changeTheme(words)
    case .zoom: zoom(words)
    case .here: here(words.joined(separator: " "))
    case .go: go(words.joined(separator: " "))
    case .streets: streetsActs?.begin(words.joined(separator: " "))
    case .share: share(words)
    case .link: LinkActs(store: watchStore, interface: interface).run(words)
    case .zone:
      changePrivacy(words) {
        await $0.addZone($1)
      } remove: {
        await $0.removeZone($1)
      }
    case .hours:
      changePrivacy(words) {
        await $0.addHours($1)
      } remove: {
        await $0.removeHours($1)
      }
    case .tell: tellCommand.run(words)
    case .invite:
      guard !words.isEmpty else { return interface.overlay = .invitations }
      sharingCoordinator.open(words.joined(separator: " "))
    case .importFile:
      guard !words.isEmpty else {
        return interface.say("Write a file after it: import walk.gpx", kind: .warning)
      }
      interface.overlay = .importFile(words.joined(separator: " "))
    case .add:
      guard let name = words.first else {
        return interface.say("Write a username after it: add ana", kind: .warning)
      }
      Task {
        switch await interface.act(
          "A request made by a command",
          {
            await socialStore.requestFriend(username: name)
          })
        {
        case .done(.friends):
          interface.say(OutcomeText.friends("@\(name)"), kind: .success)
        case .done: interface.say(OutcomeText.asked("@\(name)"), kind: .success)
        case .invalid(let problem): interface.say(problem.advice, kind: .warning)
        case .refused, .notStarted: break
        }
      }
    }
  }

  private var tellCommand: TellCommand {
    let (people, map) = (socialStore, mapStore)
    let provider = currentLocationProvider
    return TellCommand(
      alertsStore: alertsStore, missionsStore: missionsStore, groundStore: groundStore,
      interface: interface
    ) {
      AlertScene(people, map, provider, at: .now)
    }
  }

  private func here(_ text: String) {
    guard text != "auto" else { return hereEnds() }
    HereActs(store: locationSharingStore, interface: interface).begin(text)
  }

  /// What is measured counts again.
  private func hereEnds() {
    let store = locationSharingStore
    store.locateMe()
    Task {
      let outcome = await interface.act("Saying where you are") { await store.endHere() }
      guard case .done(let me) = outcome else { return }
      interface.say(
        me.map { "Your position comes from \($0.source) now." }
          ?? "Your position is not known now.",
        kind: .success)
    }
  }

  /// Adds a zone or hours, or removes those of a name; without arguments lists them.
  private func changePrivacy(
    _ words: [String],
    add: @escaping @MainActor (LocationSharingStore, [String]) async -> PrivacyOutcome,
    remove: @escaping @MainActor (LocationSharingStore, String) async -> PrivacyOutcome
  ) {
    guard !words.isEmpty else { return interface.overlay = .privacy }
    let (store, interface) = (locationSharingStore, interface)
    Task {
      interface.history.close("A change of zones and hours")
      let isRemoval = words.first == "off"
      interface.say(
        isRemoval
          ? await remove(store, words.dropFirst().joined(separator: " "))
          : await add(store, words))
    }
  }

  private typealias PrivacyOutcome = LocationSharingStore.PrivacyOutcome

  /// Whether the words name hours, such as `work mon-fri 9-18`, and no precision.
  private func areHours(_ words: [String]) -> Bool {
    guard let name = words.first, (try? SharingMode(typed: name)) == nil else { return false }
    return (try? SharingHours(name, typed: Array(words.dropFirst()))) != nil
  }

  private func share(_ words: [String]) {
    guard !words.isEmpty else { return interface.overlay = .sharing(nil) }
    guard !areHours(words) else { return run(.hours, words) }
    do {
      let request = try ShareRequest(words, sharing: locationSharingStore.sharing, now: .now)
      let store = locationSharingStore
      Task {
        let friend = store.sharing?.friends.first { $0.id == request.friendID }
        let outcome = await interface.act(
          "What is on its way to the server",
          undoneBy: {
            .sharing(with: friend?.displayName, $0, of: store)
          }
        ) {
          await store.setSharing(request.mode, for: request.friendID, until: request.until)
        }
        guard outcome.isDone else { return }
        let sees = SharingSentence.sees(
          friend?.displayName ?? "Everybody else",
          SharingSetting(request.mode, until: request.until), at: .now,
          isPlaceKnown: store.isPlaceKnown)
        interface.say("\(sees): \(store.sharingSentence).", kind: .success)
      }
    } catch {
      interface.say(error.advice, kind: .warning)
    }
  }

  private func changeTheme(_ words: [String]) {
    let names = ThemeSetting.allCases.map(\.rawValue)
    guard let name = words.first, let theme = ThemeSetting(rawValue: name) else {
      return interface.say(
        "Write a theme after it: \(names.joined(separator: ", ")).", kind: .warning)
    }
    interface.theme = theme
    terminal.setTheme(theme.choice)
    interface.say("The theme is \(name) until Rally ends.")
  }

  /// Shows the map nearer or farther, around what is in its middle.
  private func zoom(_ words: [String]) {
    let typed = words.first ?? ""
    let level = Double(typed).flatMap { (0...Viewport.maximumZoom).contains($0) ? $0 : nil }
    guard level != nil || typed == "world" else {
      return interface.say(
        "Write a level after it: zoom 12, up to \(Int(Viewport.maximumZoom)), or zoom world.",
        kind: .warning)
    }
    if let level {
      mapStore.letGoOfFrame()
      mapStore.zoom = level
    } else {
      mapStore.show(.world)
    }
    navigationService.select(.map)
  }

  private func go(_ text: String) {
    Task.immediate {
      do throws(FieldProblem) {
        let place = try await groundStore.resolve(text)
        mapStore.show(
          .place(place.coordinate), scale: place.radiusMetres == nil ? .street : .city)
        navigationService.select(.map)
      } catch {
        interface.say(error.advice, kind: .warning)
      }
    }
  }
}
