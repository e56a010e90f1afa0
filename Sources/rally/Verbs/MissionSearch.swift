import FoundationEssentials
import RallyClient
import RallyCommand
import RallyDomain
import RallyText
import RallyWire

extension CommandSession {
  /// The mission that an argument means.
  ///
  /// If several match, an exact title wins, and then the only open one.
  ///
  /// - Parameter text: An id, or the start of an id or of a title.
  /// - Throws: `VerbFailure` with `refused` if none matches, with `usage` if several do.
  func mission(named text: String) async throws -> Mission {
    let missionsService = await services.missionsService
    if let id = UUID(wireText: text) { return try await missionsService.fetchMission(id) }
    let now = WireTime.now
    let found = MissionSearch.matches(for: text, in: try await allMissions(), at: now)
    guard let first = found.first else {
      throw VerbFailure(
        .refused, "No mission begins with “\(text.cleanedForDisplay)”.",
        advice: "`rally missions list` lists yours.")
    }
    guard found.count == 1 else {
      let names = found.prefix(5).map { "  \($0.shortID)  \($0.title)" }
      throw VerbFailure(
        .usage, "\(found.count) missions begin with “\(text.cleanedForDisplay)”.",
        advice: "Write more of the title, or of the id:\n" + names.joined(separator: "\n"))
    }
    return first
  }

  /// Every mission that I may see: my open ones, past ones, and those of others.
  private func allMissions() async throws -> [Mission] {
    // The whole Earth, from anywhere: where I am is not told for it.
    let origin = Coordinate(latitude: 0, longitude: 0)
    let missionsService = await services.missionsService
    // One request for all three.
    await services.client.joinReads()
    async let active = missionsService.fetchAllMissions(scope: .active)
    async let done = missionsService.fetchAllMissions(scope: .done)
    async let others = missionsService.fetchAllMissions(
      scope: .nearby, around: origin, radiusMetres: FetchMissions.radii.upperBound)
    var seen: Set<UUID> = []
    return try await (active + done + others).filter { seen.insert($0.id).inserted }
  }

  /// All pages of one list.
  func missions(
    in scope: MissionScope, around centre: Coordinate? = nil, radiusMetres: Double? = nil
  ) async throws -> [Mission] {
    try await services.missionsService.fetchAllMissions(
      scope: scope, around: centre, radiusMetres: radiusMetres)
  }

  /// How exactly my surroundings may be asked about, by my zones and hours; nil for not at all.
  func searchLevel() async -> GridLevel? { await privacyLimit().searchLevel }

  /// The most that may leave of where I am.
  func privacyLimit() async -> PrivacyLimit {
    await restoredPrivacyRules.limit(of: restoredLocationProvider)
  }

  /// My position; nil if it is not known.
  func position() async -> Coordinate? { await fix()?.coordinate }

  func fix() async -> LocationFix? {
    await restoredLocationProvider.fix
  }
}

enum MissionSearch {
  /// The missions that a text matches; more than one if it is ambiguous.
  static func matches(for text: String, in missions: [Mission], at now: WireTime) -> [Mission] {
    let text = text.trimmed
    guard !text.isEmpty else { return [] }
    let byID = missions.filter {
      text.count >= 4 && $0.id.wireText.hasPrefix(text.lowercased())
    }
    if !byID.isEmpty { return byID }
    var found = missions.filter { $0.title.foldedStarts(with: text) }
    func narrow(_ condition: (Mission) -> Bool) {
      let rest = found.filter(condition)
      if found.count > 1, !rest.isEmpty { found = rest }
    }
    narrow { $0.title.folded == text.folded }
    narrow { $0.phase(at: now).isOpen }
    return found
  }
}

extension Mission {
  /// The first eight digits: enough to distinguish one's own missions.
  var shortID: String { String(id.wireText.prefix(8)) }
}
