import FoundationEssentials
import Logging
import Observation
import RallyClient
import RallyEnvironment
import RallyState
import RallySystem
import RallyWire

/// An invitation from its code to what it gave, and my own codes.
@MainActor
@Observable
public final class InvitationsStore: OrderedCalls {
  // MARK: - Dependencies
  @ObservationIgnored private let invitationsService: InvitationsService

  // MARK: - State
  public private(set) var phase: InvitationPhase = .idle
  /// My own codes that can still be accepted, newest first.
  public private(set) var codes: [InvitationRecord] = []
  /// The code for the mission whose sheet is open.
  public private(set) var missionCode: LoadableValue<InvitationRecord, CommunityViewError> = .idle
  /// How the group reaches the server, as that says; nil until it did.
  public private(set) var settings: AuthSettings?
  /// What `codes` is doing.
  public internal(set) var loadState: CommunityLoadState = .loading
  /// Whether one of my codes is being made or revoked.
  public internal(set) var isChanging = false
  /// The latest failure to show; the view clears it.
  public internal(set) var presentedError: CommunityViewError?

  /// The mission that `missionCode` is for.
  @ObservationIgnored private var invitedMissionID: UUID?
  /// The code that is read or accepted.
  @ObservationIgnored private var code: InvitationCode?
  @ObservationIgnored var fetching: Task<Void, Never>?
  @ObservationIgnored private var acceptance = UnansweredCall<InvitationCode>()
  @ObservationIgnored let log = RallyLog.logger("Invitations")
  @ObservationIgnored let failureTitle = "Codes are not up to date"

  // MARK: - Lifecycle

  public init(invitationsService: InvitationsService = .shared) {
    self.invitationsService = invitationsService
  }

  // MARK: - Invitation

  /// Reads what a code gives; nothing is accepted by this.
  ///
  /// - What: `phase` goes to `.reading`, then to `.offered` or `.refused`.
  /// - How: The response to a code that a newer one replaced is dropped; a running acceptance is
  ///   not given up.
  /// - Why: What an invitation gives is shown before it is accepted.
  /// - Service Calls: `InvitationsService.fetchInvitation`
  public func open(_ code: InvitationCode) async {
    if case .accepting = phase { return }
    self.code = code
    phase = .reading(code)
    do {
      let offer = try await invitationsService.fetchInvitation(code)
      if phase == .reading(offer.code) { phase = .offered(offer) }
    } catch {
      fail(code, with: error)
    }
  }

  /// Shows why a text cannot be opened.
  ///
  /// - What: `phase` goes to `.refused`.
  /// - How: No server is asked, and no retry is offered.
  /// - Why: Who pasted a text that is no code must read why.
  /// - Service Calls: None
  public func refuse(_ problem: FieldProblem) {
    code = nil
    phase = .refused(problem.advice, canRetry: false)
  }

  /// Offers a profile of its own for an invitation of another server.
  ///
  /// - What: `phase` goes to `.elsewhere`.
  /// - How: A running acceptance is not given up for it.
  /// - Why: A link must not move anybody to another server without their doing.
  /// - Service Calls: None
  public func offerProfile(_ name: String, for link: InvitationLink) {
    if case .accepting = phase { return }
    code = nil
    phase = .elsewhere(link, profile: name)
  }

  /// Accepts what is offered.
  ///
  /// - What: `phase` goes to `.accepting`, then to `.idle` or `.refused`.
  /// - How: The call continues when the sheet is closed. The same code after a lost response is
  ///   accepted with the same client id.
  /// - Why: A code may have few uses, and none of them must be used up twice.
  /// - Service Calls: `InvitationsService.acceptInvitation`
  /// - Returns: What it gave; `.notStarted` if nothing is offered or it was accepted before.
  @discardableResult
  public func accept() async -> IntentOutcome<InvitationResult> {
    guard case .offered(let offer) = phase, !offer.isAccepted else { return .notStarted }
    phase = .accepting(offer)
    let service = invitationsService
    let clientID = acceptance.clientID(for: offer.code)
    let response = await Task {
      try await service.acceptInvitation(offer.code, clientID: clientID)
    }.result
    switch response {
    case .success(let result):
      acceptance.answered()
      if phase == .accepting(offer) { dismiss() }
      return .done(result)
    case .failure(let error):
      return .refused(fail(offer.code, with: error))
    }
  }

  /// Reads the code again after a failure that may pass.
  ///
  /// - What: As `open`, for the code of the last failure.
  /// - How: From the beginning, also if the acceptance failed.
  /// - Why: An acceptance whose response was lost may have counted.
  /// - Service Calls: `InvitationsService.fetchInvitation`
  public func retry() async {
    guard case .refused(_, canRetry: true) = phase, let code else { return }
    await open(code)
  }

  /// Closes the invitation; what was accepted stays.
  ///
  /// - What: `phase` goes to `.idle`.
  /// - How: A response that still comes finds no code to belong to.
  /// - Why: The sheet is closed with one key, whatever it shows.
  /// - Service Calls: None
  public func dismiss() {
    code = nil
    phase = .idle
  }

  @discardableResult
  private func fail(_ code: InvitationCode, with error: any Error) -> CommunityViewError {
    let viewError = CommunityViewError(
      title: "Invitation not accepted", description: error.sentence, source: "invitation",
      error: error)
    guard code == self.code, phase.isWaiting else { return viewError }
    if error.isExpectedError() {
      dismiss()
    } else {
      log.info("failed — \(error.logLabel)")
      phase = .refused(
        error.sentence, canRetry: (error as? NetworkError)?.isTransient ?? false)
    }
    return viewError
  }

  // MARK: - My Codes

  /// Whether `codes` is being fetched or changed.
  public var isBusy: Bool { loadState.isBusy }

  /// Fetches my codes; on failure the known ones stay.
  ///
  /// - What: Fills `codes` and `settings`.
  /// - How: Fetches all pages; `loadState` says how it went.
  /// - Why: A code is shown with the link that the server makes of it.
  /// - Service Calls: `InvitationsService.fetchInvitations`
  public func fetchCodes() async {
    await inFront { await self.fetchAllCodes() }
  }

  private func fetchAllCodes() async {
    let service = invitationsService
    await fetchSettings()
    let outcome = await load("fetchCodes") {
      try await Pages.all {
        try await service.fetchInvitations(limit: Paging.maximumLimit, offset: $0)
      }
    }
    if let all = outcome.value { codes = all }
  }

  /// Asks how the group reaches the server, once.
  ///
  /// - What: Fills `settings`.
  /// - How: Asks once; without an answer it is asked again the next time.
  /// - Why: Only the server has the address under which others reach it.
  /// - Service Calls: `InvitationsService.fetchSettings`
  public func fetchSettings() async {
    if settings == nil { settings = await invitationsService.fetchSettings() }
  }

  /// Creates a code for friendship with me, and adds it to `codes`, once those are fetched.
  ///
  /// - What: The code is in `codes` once the server made it.
  /// - How: A fetch on its way ends first; of two changes at once the second is not sent.
  /// - Why: A code that the server does not have would be given away for nothing.
  /// - Service Calls: `InvitationsService.createInvitation`
  @discardableResult
  public func createCode() async -> IntentOutcome<InvitationRecord> {
    await inTurn {
      let service = invitationsService
      let outcome = await change("createCode") { try await service.createInvitation() }
      if let invitation = outcome.value { codes.insert(invitation, at: 0) }
      return outcome
    }
  }

  /// Revokes one of my codes; what it gave stays.
  ///
  /// - What: The code is gone from `codes` once the server agreed.
  /// - How: A fetch on its way ends first; of two changes at once the second is not sent.
  /// - Why: A code that got to somebody else must let nobody in.
  /// - Service Calls: `InvitationsService.revokeInvitation`
  @discardableResult
  public func revoke(_ invitation: InvitationRecord) async -> IntentOutcome<InvitationRecord> {
    await inTurn {
      let service = invitationsService
      let outcome = await change("revoke") {
        try await service.revokeInvitation(invitation.code)
        return invitation
      }
      if outcome.isDone { codes.removeAll { $0.id == invitation.id } }
      return outcome
    }
  }

  // MARK: - Codes of Missions

  /// Begins with a mission that nobody has made a code for yet.
  ///
  /// - What: `missionCode` is idle and belongs to this mission.
  /// - How: An answer for another mission finds nothing to belong to.
  /// - Why: A code that was given away is not offered again when the sheet is opened anew.
  /// - Service Calls: None
  public func openMissionCode(for missionID: UUID) {
    invitedMissionID = missionID
    missionCode = .idle
  }

  /// Creates a code for a mission that I am in; it is not added to `codes`.
  ///
  /// - What: `missionCode` goes to loading, then to the code, or to why there is none.
  /// - How: Asks once for the settings as well, of which the link is made. While one is made no other
  ///   is.
  /// - Why: Who invites to a mission need not be a friend of everybody in it.
  /// - Service Calls: `InvitationsService.createInvitation`, `InvitationsService.fetchSettings`
  @discardableResult
  public func createCode(forMission missionID: UUID) async -> IntentOutcome<InvitationRecord> {
    let isMaking = invitedMissionID == missionID && missionCode.isLoading()
    guard !isMaking else { return .notStarted }
    invitedMissionID = missionID
    missionCode = .loading
    await fetchSettings()
    do {
      let invitation = try await invitationsService.createInvitation(missionID: missionID)
      takeMissionCode(LoadableValue(.success(invitation)), for: missionID)
      return .done(invitation)
    } catch {
      let viewError = presentFailure(
        error, title: failureTitle, source: "createCode(forMission:)", isPresented: false)
      takeMissionCode(
        error.isExpectedError() ? .idle : LoadableValue(.failure(viewError)), for: missionID)
      return .refused(viewError)
    }
  }

  private func takeMissionCode(
    _ code: LoadableValue<InvitationRecord, CommunityViewError>, for missionID: UUID
  ) {
    if invitedMissionID == missionID { missionCode = code }
  }
}

public enum InvitationPhase: Hashable, Sendable {
  case idle
  case reading(InvitationCode)
  /// What it gives; nothing is accepted yet.
  case offered(InvitationOffer)
  case accepting(InvitationOffer)
  /// It is of another server; this profile is offered for it.
  case elsewhere(InvitationLink, profile: String)
  /// One sentence that says why, and whether a retry can help.
  case refused(String, canRetry: Bool)

  fileprivate var isWaiting: Bool {
    switch self {
    case .reading, .accepting: true
    case .idle, .offered, .elsewhere, .refused: false
    }
  }
}

extension InvitationsStore {
  /// A store without a server: every call fails with `.notConfigured`.
  static func inert() -> InvitationsStore {
    InvitationsStore(invitationsService: InvitationsService(client: SupabaseClient()))
  }
}

private struct InvitationsStoreKey: EnvironmentKey {
  @MainActor static let defaultValue = InvitationsStore.inert()
}

extension EnvironmentValues {
  public var invitationsStore: InvitationsStore {
    get { self[InvitationsStoreKey.self] }
    set { self[InvitationsStoreKey.self] = newValue }
  }
}
