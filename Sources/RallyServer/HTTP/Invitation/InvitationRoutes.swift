import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import RallyRules
import RallyStorage
import RallyWire

/// `/i`: what a code gives, for somebody who has no account and no API key yet.
///
/// A `GET` is one page for everybody and uses nothing up, since messengers fetch what is sent over
/// them. Guesses are counted by address before their body is read.
struct InvitationRoutes: Sendable {
  typealias Context = ServerRequestContext

  let storage: Storage
  let gateway: Gateway
  let limiter: RateLimiter
  /// The command that comes in by SSH; nil without such a door.
  var ssh: String?
  var now: @Sendable () -> WireTime = { .now }

  init(
    storage: Storage, gateway: Gateway, limiter: RateLimiter, ssh: String? = nil,
    now: @escaping @Sendable () -> WireTime = { .now }
  ) {
    (self.storage, self.gateway, self.limiter) = (storage, gateway, limiter)
    (self.ssh, self.now) = (ssh, now)
  }

  func add(to router: Router<Context>) {
    let group = router.group("").add(middleware: FunctionErrorMiddleware())
    group.get(RouterPath(InvitationQuestion.path)) { _, _ in InvitationPage.page.response }
    group.post(RouterPath(InvitationQuestion.path), use: answer)
  }

  @Sendable private func answer(_ request: Request, _ context: Context) async throws -> Response {
    try await request.admitted {
      if let delay = try await limiter.delay(.openInvitation, address: context.clientAddress) {
        throw RateRefusal(delay: delay)
      }
    }
    let body = try await request.body.collect(
      within: limiter.budgets, atMost: RequestBody.strangersLimit)
    let question = try? InvitationQuestion(
      from: ArgumentDecoder(value: WireJSON.value(of: body.readableBytesView)))
    // What is no code at all is answered as one that nobody has.
    guard let question, let code = try? InvitationCode(question.code), code.isLong else {
      return try refusal(Self.unknown, .notFound)
    }
    let time = now()
    switch try await storage.read({ try Self.find(code, at: time, in: $0) }) {
    case .unknown: return try refusal(Self.unknown, .notFound)
    case .usedUp:
      return try refusal(
        FunctionFailure(.invitationOver, "This invitation has been used; ask for a new one."),
        .gone)
    case .open(let inviter, let mission):
      return try .json(
        OpenInvitation(inviter: inviter, mission: mission, key: gateway.apiKey, ssh: ssh))
    }
  }

  private func refusal(
    _ failure: FunctionFailure, _ status: HTTPResponse.Status
  ) throws -> Response {
    try .json(failure, status: status)
  }

  /// For unknown, revoked and ended codes, and what is no code: nobody learns which.
  private static var unknown: FunctionFailure {
    FunctionFailure(
      .notFound, "This invitation is not open; check the link, or ask for a new one.")
  }

  private enum Found: Sendable {
    case unknown, usedUp
    case open(OpenInvitation.Inviter?, OpenInvitation.Mission?)
  }

  private static func find(
    _ code: InvitationCode, at time: WireTime, in database: Database
  ) throws -> Found {
    if try OperatorInvitationRecords.isOpen(code, at: time, in: database) {
      return .open(nil, nil)
    }
    guard let invitation = try InvitationRecords.find(code, in: database),
      time < invitation.expiresAt,
      let maker = try ProfileRecords.find(invitation.maker, in: database)
    else { return .unknown }
    var mission: OpenInvitation.Mission?
    if let key = invitation.mission {
      guard let stored = try MissionRecords.find(key, in: database),
        stored.phase(at: time).isOpen
      else { return .unknown }
      mission = .init(title: stored.title, day: day(of: stored))
    }
    guard invitation.isOpen(at: time) else { return .usedUp }
    return .open(.init(username: maker.username, displayName: maker.displayName), mission)
  }

  /// The day on which a mission starts where it is: by the series' time zone, else by its longitude.
  static func day(of mission: StoredMission) -> String {
    let zone = mission.series.flatMap { LocalTimeZone(identifier: $0.timeZone) }
    let hours = (mission.centre.longitude / 15).rounded()
    let local =
      zone?.local(mission.startsAt)
      ?? mission.startsAt.advanced(by: .seconds(Int(hours) * 3600))
    return String(local.zulu.prefix(10))
  }
}
