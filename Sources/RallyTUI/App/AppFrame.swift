import RallyDomain

/// What surrounds every tab: tabs and link above, status and hints below, and what floats over it.
struct AppFrame<Content: View>: View {
  let content: Content
  @Environment(\.interface) private var interface
  @Environment(\.demoStanding) private var demoStanding

  init(@ViewBuilder content: () -> Content) { self.content = content() }

  var body: some View {
    VStack(spacing: 0) {
      HeaderBar()
      Rule()
      content.frame(maxWidth: .max, maxHeight: .max, alignment: .topLeading)
      if demoStanding != nil { DemoHintLine() }
      ToastOverlay(Binding(interface, \.toasts))
      Rule()
      StatusBar()
      if interface.isCommandLineOpen { CommandField() } else { Footer() }
    }
    .globalActions()
    .programActions()
    .floatingOverlays()
  }
}

/// The tabs at the left, the link and the person at the right.
private struct HeaderBar: View {
  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.navigationService) private var navigationService
  @Environment(\.socialStore) private var socialStore
  @Environment(\.linkService) private var linkService
  @Environment(\.runtimePolicyCoordinator) private var runtimePolicyCoordinator
  @Environment(\.demoStanding) private var demoStanding

  var body: some View {
    let isNarrow = terminalSize.width < PeoplePanes.twoPaneWidth
    let link = LinkLabel(
      linkService.state, interval: runtimePolicyCoordinator.mapSyncInterval,
      isNarrow: isNarrow)
    HStack(spacing: 0) {
      Text(" RALLY ", .accent.bold)
      TabBar(tabs, selection: navigationService.selectedTab)
      Spacer()
      Line(
        Span("\(link.glyph) \(link.word)", link.style),
        Span(demoStanding != nil && isNarrow ? "" : "  \(socialStore.profile?.handle ?? "")"),
        Span(demoStanding == nil ? "" : "  demo", .warning.bold), Span(" "))
    }
    .frame(height: 1)
  }

  private var tabs: [TabItem<RallyTab>] {
    RallyTab.allCases.map { tab in
      TabItem(
        tab.title, value: tab, badge: tab == .friends ? socialStore.incomingRequests.count : 0)
    }
  }
}

/// The state of the link as a glyph and a word: colour never says it alone.
struct LinkLabel: Hashable {
  var glyph: String
  var word: String
  var style: Style

  init(_ state: LinkState, interval: Duration, isNarrow: Bool = false) {
    switch state {
    case .signedOut: (glyph, word, style) = ("○", "signed out", .dim)
    case .connecting: (glyph, word, style) = ("◌", "connecting", .dim)
    case .live: (glyph, word, style) = ("●", "live", .success)
    case .polling:
      (glyph, word, style) = ("◐", "polling \(interval.components.seconds)s", .warning)
    case .stale: (glyph, word, style) = ("◌", "no answer", .warning)
    case .offline:
      (glyph, word, style) = ("◌", isNarrow ? "offline" : "offline · r retries", .danger)
    }
  }
}

/// What the screen is about at the left, the policy with its cause and effect at the right.
private struct StatusBar: View {
  @Environment(\.socialStore) private var socialStore
  @Environment(\.linkService) private var linkService
  @Environment(\.runtimePolicyCoordinator) private var runtimePolicyCoordinator
  @Environment(\.terminalSize) private var terminalSize

  @Environment(\.navigationService) private var navigationService
  @Environment(\.mapStore) private var mapStore
  @Environment(\.locationSharingStore) private var locationSharingStore

  var body: some View {
    let sentence = runtimePolicyCoordinator.policySentence
    HStack(spacing: 0) {
      Text(" \(navigationService.selectedTab == .map ? view : counts)", .dim)
      Spacer(minLength: 1)
      Text("\(locationSharingStore.sharingSentence)  ", sharingStyle).layoutPriority(1)
      Text(
        "\(terminalSize.width >= 76 ? sentence.text : sentence.shortText) ",
        style(of: runtimePolicyCoordinator.policyLevel)
      )
      .layoutPriority(1)
    }
    .frame(height: 1)
  }

  /// Where the map looks: `38.7 N 9.1 W  z8  follows @ana`.
  private var view: String {
    var parts: [String] = []
    if let centre = mapStore.centre {
      let (latitude, longitude) = (centre.latitude, centre.longitude)
      parts.append(
        String(
          format: "%.1f %@ %.1f %@", abs(latitude), latitude < 0 ? "S" : "N", abs(longitude),
          longitude < 0 ? "W" : "E"))
    }
    parts.append(mapStore.zoom.map { String(format: "z%.1f", $0) } ?? "world")
    switch mapStore.following {
    case .me: parts.append("follows you")
    case .friend(let id):
      parts.append("follows \(mapStore.position(of: id)?.profile.handle ?? "a friend")")
    case nil: break
    }
    if isDated, let asOf = mapStore.asOf { parts.append("as of \(LocalTime.clock(asOf))") }
    return parts.joined(separator: "  ")
  }

  /// Who is seen, or not yet unseen, is worth a colour; the words say it too.
  private var sharingStyle: Style {
    switch locationSharingStore.summary?.ghost {
    case .pending: .warning
    case .gone: .accent
    case nil: (locationSharingStore.summary?.preciseCount ?? 0) > 0 ? .accent : .dim
    }
  }

  private var counts: String {
    guard let asOf = socialStore.asOf else { return "no list yet" }
    let friends = socialStore.friends.count
    var parts = [friends == 1 ? "1 friend" : "\(friends) friends"]
    let incoming = socialStore.incomingRequests.count
    let outgoing = socialStore.outgoingRequests.count
    if incoming > 0 { parts.append("\(incoming) in") }
    if outgoing > 0 { parts.append("\(outgoing) out") }
    if isDated { parts.append("as of \(LocalTime.clock(asOf))") }
    return parts.joined(separator: " · ")
  }

  /// Old data says how old it is.
  private var isDated: Bool {
    if linkService.state.isOffline { return true }
    if case .failed = socialStore.loadState { return true }
    return socialStore.loadState == .loading
  }

  private func style(of level: RuntimePolicyCoordinator.PolicyLevel) -> Style {
    switch level {
    case .normal: .success
    case .constrained: .warning
    case .critical: .danger
    }
  }
}
