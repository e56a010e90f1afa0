import RallyClient
import RallyDomain
import RallyEnvironment
import RallyMap
import RallySystem
import RallyText
import RallyWire
import TerminalKit

/// Streets that are asked for: the choice of a city, the question before anybody is asked, and how
/// far the download is. Closed, a download goes on.
struct StreetsSheet: View {
  @Environment(\.interface) private var interface
  @Environment(\.streetsStore) private var streetsStore

  var body: some View {
    Box(title: title) {
      VStack(spacing: 0) {
        content
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 64)
    .actions(Self.all, in: self)
    .onAction(.leave) { leave() }
    .onAction(.back) { leave() }
    .onChange(of: streetsStore.phase == .idle) { _, isOver in
      if isOver { interface.overlay = nil }
    }
  }

  private var title: String {
    switch streetsStore.phase {
    case .idle: "Streets"
    case .choosing: "Streets of which city?"
    case .finding(let streets): "Streets of \(streets.title)"
    case .asking(let question): "Fetch the streets of \(question.streets.title)?"
    case .fetching(let progress): "Streets of \(progress.streets.title)"
    }
  }

  @ViewBuilder private var content: some View {
    switch streetsStore.phase {
    case .idle: Text("Nothing is fetched.", .dim)
    case .choosing(let places): PlaceChoices(places: places) { streetsStore.choose($0) }
    case .finding:
      Text("Your group's server is asked first …", .dim)
      hints([([.back], "stop")])
    case .asking(let question):
      ForEach(question.sentences, id: \.self) { Paragraph($0) }
      hints([([Self.agree.action], "fetch"), ([.back], "do not")])
    case .fetching(let progress):
      Text(progress.bar(cells: 40))
      Text(progress.sentence, .dim)
      hints([([Self.stop.action], "stop"), ([.back], "leave it running")])
    }
  }

  private func hints(_ hints: [(actions: [Action], title: String)]) -> some View {
    VStack(spacing: 0) {
      Text("")
      KeyHints(joined: hints)
    }
  }

  private func leave() {
    streetsStore.leave()
    interface.overlay = nil
  }
}

extension StreetsSheet {
  static let agree = FeatureAction<Self>(
    id: "streets.fetch", name: "fetch-streets", title: "fetch",
    summary: "Fetch the streets as the question says.", keys: ["y"], section: "Streets",
    shown: { if case .asking = $0.streetsStore.phase { true } else { false } },
    run: { $0.streetsStore.agree() })
  static let stop = FeatureAction<Self>(
    id: "streets.stop", name: "stop-streets", title: "stop",
    summary: "Stop fetching streets; what is there is kept.", keys: ["x"], section: "Streets",
    shown: { $0.streetsStore.isFetching }, run: { $0.streetsStore.stop() })

  static let all: [FeatureAction<Self>] = [agree, stop]
}

extension StreetsProgress {
  /// `▮▮▮▮▯▯▯▯▯▯  42 %`.
  func bar(cells: Int) -> String {
    let filled = Int(share * Double(cells))
    return String(repeating: "▮", count: filled) + String(repeating: "▯", count: cells - filled)
      + "  \(percent)"
  }

  /// Rounded down: 100 % is all.
  var percent: String { "\(Int(share * 100)) %" }

  var sentence: String {
    total == 0
      ? "The source is asked what it has …" : "\(ByteText(done)) of \(ByteText(total))"
  }
}

extension View {
  /// Tells how a request for streets ended, and lets the map draw what came.
  func followsStreets() -> some View { StreetsFollowing(content: AnyView(self)) }
}

private struct StreetsFollowing: View {
  let content: AnyView
  @Environment(\.groundStore) private var groundStore
  @Environment(\.interface) private var interface
  @Environment(\.streetsStore) private var streetsStore

  var body: some View {
    content
      .onChanges(
        ChangeObserver(streetsStore.revision) { _, _ in groundStore.reload() },
        ChangeObserver(streetsStore.ending) { _, ending in
          guard let ending else { return }
          streetsStore.ending = nil
          announce(ending)
        })
  }

  private func announce(_ ending: StreetsStore.Ending) {
    switch ending {
    case .added(let streets, let tileCount, let byteCount, let leftOut):
      let tiles = tileCount.map { "\($0.counted("tile")), " } ?? ""
      let missing = leftOut > 0 ? " \(leftOut.counted("tile")) cannot be read." : ""
      interface.say(
        "Added the streets of \(streets.title): \(tiles)\(ByteText(byteCount)).\(missing)",
        kind: .success)
    case .failed(let sentence): interface.say(sentence, kind: .warning)
    case .stopped(let sentence): interface.say(sentence)
    }
  }
}

/// Asks for the streets of a city: by `:streets` and by the key on the map.
struct StreetsActs {
  let store: StreetsStore
  let supply: StreetSupply
  let sharing: LocationSharingStore
  let privacyRules: PrivacyRulesService
  let provider: CurrentLocationProvider
  let interface: Interface
  let capabilities: Capabilities
  let isDemo: Bool

  /// Why nobody can ask here, as a sentence; nil if they can.
  var obstacle: String? {
    if isDemo { return "The demo has the streets of Monaco, and is thrown away when you leave." }
    guard capabilities.contains(.hostFiles) else {
      return "Streets are files of this host: its owner adds them."
    }
    return nil
  }

  /// - Parameter name: What was typed; empty for the city that I am in.
  func begin(_ name: String) {
    perform { () throws(FieldProblem) in
      guard name.isEmpty else { return try store.begin(name, from: supply) }
      try beginHere()
    }
  }

  /// Begins with what the map shows: the city that I am in where I am in view, else the one in its
  /// middle.
  func begin(in viewport: Viewport) {
    perform { () throws(FieldProblem) in
      if let me = provider.fix?.coordinate, viewport.cell(of: GeoPoint(me)) != nil {
        return try beginHere()
      }
      guard let middle = viewport.center.coordinate else { return }
      store.choose(try store.city(at: middle), from: supply)
    }
  }

  private func beginHere() throws(FieldProblem) {
    try store.beginHere(
      at: provider.fix?.coordinate, isGhost: sharing.ghostPhase != nil,
      limit: privacyRules.limit(of: provider), from: supply)
  }

  private func perform(_ work: () throws(FieldProblem) -> Void) {
    if let obstacle { return interface.say(obstacle, kind: .warning) }
    do throws(FieldProblem) {
      if !store.isFetching { try work() }
      if store.phase != .idle { interface.overlay = .streets }
    } catch {
      interface.say(error.advice, kind: .warning)
    }
  }
}

extension EnvironmentValues {
  /// Asks for streets; nil outside of a session.
  @MainActor var streetsActs: StreetsActs? {
    guard let session = rallySession else { return nil }
    return StreetsActs(
      store: streetsStore,
      supply: StreetSupply(
        source: configuration.streetSource, server: session.services.server,
        token: { [client = session.services.client] in try await client.accessToken() }),
      sharing: locationSharingStore, privacyRules: privacyRulesService,
      provider: currentLocationProvider, interface: interface, capabilities: capabilities,
      isDemo: demoStatus != nil)
  }
}
