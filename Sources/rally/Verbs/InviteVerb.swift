import ArgumentParser
import RallyClient
import RallyCommand
import RallyDomain
import RallySystem
import RallyText
import RallyWire
import RallyWords

struct InviteVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Make, see, accept and take back invitations.",
    discussion: """
      A code makes its maker and who accepts it friends, or brings who accepts it into a mission. \
      It is sixteen letters and digits, alone or in a link: https://HOST/i#CODE where the server \
      says how it is reached, else rally://invite/CODE.

      With --json an invitation is code, link, kind, mission_id, mission_title, uses, used, \
      used_by, expires_at and created_at; what show prints is code, kind, inviter, mission, expires_at and \
      is_accepted; what accept prints is kind, friend and mission.
      """,
    subcommands: [
      InviteCreate.self, InviteList.self, InviteShow.self, InviteAccept.self, InviteRevoke.self,
    ],
    defaultSubcommand: InviteCreate.self)
}

struct InviteCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a code for friendship with you, or for a mission.")

  @OptionGroup var global: GlobalOptions
  @Option(help: "For this mission instead of friendship.") var mission: String?
  @Option(help: "How often it can be accepted, 1 to 1000; once if left out.") var uses: Int?
  @Option(help: "How long it can be accepted: 45m, 2h or 2d; seven days if left out.")
  var expires: String?
  @Flag(name: .customLong("qr"), help: "Show the link as a QR code too.") var showsQRCode = false

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    if let uses, !CreateInvitation.uses.contains(uses) {
      throw VerbFailure(.usage, "A code has 1 to 1000 uses.", advice: "Type --uses 5.")
    }
    let end = try expires.map { WireTime.now.advanced(by: try ShareTime.duration(typed: $0)) }
    let found: Mission? =
      if let mission { try await session.mission(named: mission) } else { nil }
    let invitation = try await session.services.invitationsService.createInvitation(
      missionID: found?.id, uses: uses, expiresAt: end)
    let way = await session.invitationWay
    if global.json {
      try session.output.json(JSONValue(invitation: invitation, by: way))
    } else {
      let text = way.text(of: invitation.code)
      let picture = showsQRCode ? TerminalQRCode(text, isPlain: global.isPlain) : nil
      for line in picture?.lines ?? [] { session.output.data(line) }
      session.output.data(text)
      if let hint = picture?.hint { session.output.message(hint) }
    }
    session.output.message(InvitationText.sentence(on: invitation))
    if let limit = InvitationText.limit(of: way) { session.output.message(limit) }
    if let ssh = way.ssh { session.output.message("With nothing installed: \(ssh)") }
  }
}

struct InviteList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List your codes that can still be accepted.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let service = await session.services.invitationsService
    let invitations = try await Pages.all {
      try await service.fetchInvitations(limit: Paging.maximumLimit, offset: $0)
    }
    if global.json {
      let way = await session.invitationWay
      return try session.output.json(invitations.map { try JSONValue(invitation: $0, by: way) })
    }
    session.output.table(
      invitations.map {
        [
          $0.code.description, InvitationText.purpose(of: $0), InvitationText.uses(of: $0),
          $0.expiresAt.map(\.localTime) ?? "",
          $0.guests.map { "@\($0)" }.joined(separator: " "),
        ]
      }, headings: ["code", "for", "used", "until", "by"])
    if invitations.isEmpty {
      session.output.message("No code of yours is open. `rally invite` makes one.")
    }
  }
}

struct InviteShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Say what a code gives, without accepting it.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The code, or the link.") var code: String

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let code = try await session.code(typed: code)
    let offer = try await session.services.invitationsService.fetchInvitation(code)
    if global.json { return try session.output.json(JSONValue(offer: offer)) }
    for line in InvitationText.lines(on: offer, at: .now) { session.output.data(line) }
    if !offer.isAccepted { session.output.message("`rally invite accept \(code)` accepts it.") }
  }
}

struct InviteAccept: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Accept a code: become friends, or join the mission.",
    discussion: "`rally invite show CODE` says first what it gives.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The code, or the link.") var code: String

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let code = try await session.code(typed: code)
    let result = try await session.services.invitationsService.acceptInvitation(code)
    if global.json { try session.output.json(JSONValue(result: result)) }
    session.output.message(InvitationText.sentence(on: result))
  }
}

struct InviteRevoke: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a code of yours; what it gave stays.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The code, or the link.") var code: String

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let code = try await session.code(typed: code)
    try await session.services.invitationsService.revokeInvitation(code)
    session.output.message(OutcomeText.revoked(code))
  }
}

extension CommandSession {
  /// How invitations of this server are passed on.
  fileprivate var invitationWay: InvitationWay {
    get async {
      InvitationWay(
        server: await services.server,
        settings: await services.invitationsService.fetchSettings(), isGuest: Guest.current != nil)
    }
  }

  /// The code in a text: a code or a link.
  ///
  /// - Throws: `FieldProblem` for other text, and for a link of another server.
  fileprivate func code(typed text: String) async throws -> InvitationCode {
    let link = try InvitationLink(text)
    if let problem = link.problem(on: await services.server) { throw problem }
    return link.code
  }
}
