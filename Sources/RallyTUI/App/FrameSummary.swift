import RallyClient
import RallyDomain
import RallyEnvironment
import RallyState
import RallyWords
import TerminalKit

/// The state of the link to the server, and the polling interval without it.
struct LinkStatus: Hashable {
  var state: LinkState
  var interval: Duration
}

/// What surrounds every tab, boiled down to what is drawn: it is drawn anew when that changes, not
/// when a list behind it is fetched again.
final class FrameSummary {
  /// What waits on the person, by tab; a tab with nothing is left out.
  let badges: DerivedState<[RallyTab: Int]>
  /// `@ana`; empty before it is known.
  let handle: DerivedState<String>
  let link: DerivedState<LinkStatus>
  /// How many people there are: `2 friends · 1 in`.
  let people: DerivedState<String>
  /// `3 missions · 1 invitation · 1 check-in queued`
  let missions: DerivedState<String>
  /// Whether what is shown is old, and says so.
  let isDated: DerivedState<Bool>
  let sharing: DerivedState<Span>
  /// The same in few cells.
  let sharingShort: DerivedState<String>
  let policy: DerivedState<PolicySentence>
  let policyLevel: DerivedState<RuntimePolicyCoordinator.PolicyLevel>
  /// What waits on the person, for the window's title: `2 requests · 1 invitation`; empty when
  /// nothing does. Nobody is named.
  let waiting: DerivedState<String>

  convenience init(_ session: RallySession, _ stores: SharedStores) {
    self.init(
      social: stores.social, missions: stores.missions,
      locationSharing: stores.locationSharing, link: session.services.linkService,
      policy: session.runtimePolicyCoordinator)
  }

  init(
    social: SocialStore, missions: MissionsStore, locationSharing: LocationSharingStore,
    link: LinkService, policy: RuntimePolicyCoordinator
  ) {
    badges = DerivedState {
      let waiting: [RallyTab: Int] = [
        .missions: missions.invitationCount,
        .friends: social.incomingRequests.count + social.locationAsks.incoming.count,
      ]
      return waiting.filter { $0.value > 0 }
    }
    handle = DerivedState { social.profile?.handle ?? "" }
    self.link = DerivedState { LinkStatus(state: link.state, interval: policy.mapSyncInterval) }
    people = DerivedState { Self.counts(of: social, isDated: Self.isDated(social, link)) }
    self.missions = DerivedState { Self.counts(of: missions) }
    isDated = DerivedState { Self.isDated(social, link) }
    sharing = DerivedState {
      Span(
        locationSharing.sharingSentence,
        Self.style(of: locationSharing.summary, isHeldBack: locationSharing.isHeldBack))
    }
    sharingShort = DerivedState { locationSharing.sharingShort }
    self.policy = DerivedState { policy.policySentence }
    policyLevel = DerivedState { policy.policyLevel }
    waiting = DerivedState {
      Self.waiting(
        requests: social.incomingRequests.count, invitations: missions.invitationCount,
        questions: social.locationAsks.incoming.count)
    }
  }

  private static func counts(of social: SocialStore, isDated: Bool) -> String {
    guard let asOf = social.asOf else { return "no list yet" }
    var parts = [counted(social.friends.count, "friend")]
    let incoming = social.incomingRequests.count
    if incoming > 0 { parts.append(incoming.counted("request")) }
    // First, since a narrow terminal cuts the rest.
    if isDated { parts.insert("as of \(LocalTime.clock(asOf))", at: 0) }
    return parts.joined(separator: " · ")
  }

  private static func counts(of missions: MissionsStore) -> String {
    guard missions.asOf != nil else { return "no list yet" }
    let invited = missions.invitationCount
    let queued = missions.pendingCheckIns.count(where: \.isWaiting)
    let failed = missions.pendingCheckIns.count - queued
    // The length of the list, including invitations.
    var parts = [counted(missions.active.count, "mission")]
    if invited > 0 { parts.append(invited.counted("invitation")) }
    if queued > 0 { parts.append("\(queued.counted("check-in")) queued") }
    if failed > 0 { parts.append("\(failed.counted("check-in")) failed") }
    return parts.joined(separator: " · ")
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    count == 0 ? "no \(noun)s" : count.counted(noun)
  }

  static func waiting(requests: Int, invitations: Int, questions: Int = 0) -> String {
    StatusReport.waiting(requests: requests, invitations: invitations, questions: questions)
      .joined(separator: " · ")
  }

  /// Who is seen, or not yet unseen, is worth a colour; the words say it too.
  private static func style(of summary: SharingSummary?, isHeldBack: Bool) -> Style {
    switch summary?.ghost {
    case .pending: .warning
    case .gone: .accent
    case nil: (summary?.preciseCount ?? 0) > 0 && !isHeldBack ? .accent : .dim
    }
  }

  /// Old data says how old it is.
  private static func isDated(_ social: SocialStore, _ link: LinkService) -> Bool {
    if link.state.isOffline { return true }
    if case .failed = social.loadState { return true }
    return social.loadState == .loading
  }
}

private struct FrameSummaryKey: EnvironmentKey {
  /// Outside a session there is nothing to say.
  static let defaultValue = FrameSummary(
    social: EnvironmentValues().socialStore, missions: EnvironmentValues().missionsStore,
    locationSharing: EnvironmentValues().locationSharingStore,
    link: EnvironmentValues().linkService, policy: EnvironmentValues().runtimePolicyCoordinator)
}

extension EnvironmentValues {
  var frameSummary: FrameSummary {
    get { self[FrameSummaryKey.self] }
    set { self[FrameSummaryKey.self] = newValue }
  }
}
