import RallyClient
import RallyDomain
import RallyEnvironment
import RallyMap
import RallyWire
import TerminalKit

/// Asks for the streets of a city: by `:streets` and by the key on the map.
@MainActor
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
