import Logging
import Observation
import RallyClient
import RallySystem
import RallyWire

/// My phones, and the credential that was just made for one.
@MainActor
@Observable
public final class PhonesStore: OrderedCalls {
  // MARK: - Dependencies
  @ObservationIgnored private let phonesService: PhonesService
  @ObservationIgnored private let profileService: ProfileService
  /// The server that phones report to.
  public let server: ServerChoice

  // MARK: - State
  /// The oldest first.
  public private(set) var phones: [PhoneRecord] = []
  /// What `phones` is doing.
  public internal(set) var loadState: CommunityLoadState = .loading
  /// Whether a phone is being added or revoked.
  public internal(set) var isChanging = false
  /// The latest failure to show; the next call clears it.
  public internal(set) var presentedError: CommunityViewError?
  /// What goes into the phone that was added last; the only time that its secret is there.
  public private(set) var setup: PhoneSetup?

  @ObservationIgnored var fetching: Task<Void, Never>?
  @ObservationIgnored let log = RallyLog.logger("Phones")
  @ObservationIgnored let failureTitle = "Phones are not up to date"

  // MARK: - Lifecycle

  public init(
    phonesService: PhonesService = .shared, profileService: ProfileService = .shared,
    server: ServerChoice
  ) {
    self.phonesService = phonesService
    self.profileService = profileService
    self.server = server
  }

  // MARK: - Intents

  /// Why the last fetch or change failed, as one sentence; nil if it did not.
  public var problem: String? { failureSentence }

  /// Whether `phones` is being fetched or changed.
  public var isBusy: Bool { loadState.isBusy }

  /// Fetches my phones; on failure the known ones stay.
  ///
  /// - What: Fills `phones`.
  /// - How: `loadState` says how it went.
  /// - Why: Who looks at the sheet wants to know which phone reports, and which does not.
  /// - Service Calls: `PhonesService.fetchPhones`
  public func fetchPhones() async {
    await inFront { [self] in
      let service = phonesService
      let outcome = await load("fetchPhones") { try await service.fetchPhones() }
      if let phones = outcome.value { self.phones = phones }
    }
  }

  /// Adds a phone.
  ///
  /// - What: Makes a secret, registers it, and shows in `setup` what goes into the app.
  /// - How: A fetch on its way ends first; of two changes at once the second is not sent. The name is
  ///   the app's, with a number where there is one of that name already.
  /// - Why: A secret is shown once and kept nowhere; who loses it adds the phone again.
  /// - Service Calls: `PhonesService.addPhone`, `ProfileService.fetchProfile`
  /// - Returns: `.notStarted` on the embedded server, which a phone cannot reach.
  @discardableResult
  public func addPhone(_ app: PhoneApp) async -> IntentOutcome<PhoneRecord> {
    guard let url = server.url else { return .notStarted }
    return await inTurn {
      let (service, secret, name) = (phonesService, AccessSecret.random(), freeName(for: app))
      let outcome = await change("addPhone") {
        try await service.addPhone(app: app, name: name, secret: secret)
      }
      if let phone = outcome.value {
        phones.append(phone)
        setup = PhoneSetup(
          app: app, server: url, secret: secret, username: await username())
      }
      return outcome
    }
  }

  /// Ends a phone's credential.
  ///
  /// - What: The phone is gone from `phones` once the server agreed.
  /// - How: A fetch on its way ends first; of two changes at once the second is not sent.
  /// - Why: A lost phone must not report for me any more.
  /// - Service Calls: `PhonesService.revokePhone`
  @discardableResult
  public func revoke(_ phone: PhoneRecord) async -> IntentOutcome<PhoneRecord> {
    await inTurn {
      let service = phonesService
      let outcome = await change("revoke") {
        try await service.revokePhone(phone.id)
        return phone
      }
      if outcome.isDone { phones.removeAll { $0.id == phone.id } }
      return outcome
    }
  }

  /// Forgets the secret that was shown.
  public func closeSetup() { setup = nil }

  /// What the app shows as its user. The secret is shown only now, so it waits for no second answer:
  /// the server does not use the name.
  private func username() async -> String {
    do {
      if let profile = try await profileService.fetchProfile() { return profile.username }
    } catch {
      log.info("addPhone — the app is told no username: \(error.logLabel)")
    }
    return "rally"
  }

  private func freeName(for app: PhoneApp) -> String {
    let taken = Set(phones.map(\.name))
    var (name, number) = (app.title, 1)
    while taken.contains(name) {
      number += 1
      name = "\(app.title) \(number)"
    }
    return name
  }
}
