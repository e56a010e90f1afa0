import ArgumentParser
import RallyClient
import RallyCommand
import RallyDomain
import RallyText
import RallyWire
import RallyWords

struct LocationPhone: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "phone", abstract: "Let a phone report your position.",
    discussion: """
      An app on the phone sends its position to your server with a credential of its own: OwnTracks, \
      Overland, Traccar Client or GPSLogger. Who sees it is decided by your sharing, as for every \
      other position of yours.
      """,
    subcommands: [PhoneAdd.self, PhoneList.self, PhoneRevoke.self],
    defaultSubcommand: PhoneList.self)
}

struct PhoneAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Make a credential for a phone, and show how it gets there.",
    discussion: """
      It is shown once, as a link and on a terminal as a QR code: the server keeps only a digest of \
      it. Whoever has it can say where you are, and with OwnTracks see the friends you see, until \
      `rally location phone revoke`.

      Zones and hours that are kept on this machine do not hold for a phone. With --keep-zones, or \
      a yes on the terminal, they are kept with your account, where the server applies them to what \
      the phone sends before anything is stored.

      With --json it is id, app, name, address, link, secret and settings.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "owntracks, overland, traccar or gpslogger.") var app: PhoneApp
  @Option(help: "What to call the phone; without it the app's name.") var name: String?
  @Option(help: "The server as the phone reaches it; without it as this machine does.")
  var address: String?
  @Flag(help: "Draw no QR code.") var noQR = false
  @Flag(help: "Keep your zones and hours with your account, so that they hold for the phone too.")
  var keepZones = false

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let server = try await reachableServer(session)
    let name = try AddPhone.checkedName(name ?? app.title)
    let service = await session.services.phonesService
    if try await service.fetchPhones().contains(where: { $0.name == name }) {
      throw VerbFailure(
        .refused, "You have a phone called \(name) already.",
        advice: "Give this one another --name, or revoke that one.")
    }
    try await offerToKeepZones(session)
    let secret = AccessSecret.random()
    let phone = try await service.addPhone(app: app, name: name, secret: secret)
    let profile = try await session.services.profileService.fetchProfile()
    let setup = PhoneSetup(
      app: app, server: server, secret: secret, username: profile?.username ?? "rally")
    try show(setup, of: phone, session.output)
  }

  /// Says that the zones and hours of this machine do not hold for a phone, and asks on a terminal
  /// whether they are to be kept with the account.
  private func offerToKeepZones(_ session: CommandSession) async throws {
    let store = await session.restoredPrivacyRules
    guard await !store.kept.own.isEmpty else { return }
    let reason = "Your zones and hours are kept on this machine and do not hold for a phone."
    var isWanted = keepZones
    if !isWanted, !global.json, Confirmation.isPossible {
      Output.say(reason)
      isWanted = Confirmation.isAgreed("Keep them with your account, so that they do?")
    }
    guard isWanted else {
      return session.output.message(
        reason + " `rally location zone keep --with-account` lets the server apply them.")
    }
    let change = try await store.keep(withAccount: true)
    session.output.message(change.warning ?? PrivacyChangeText.kept(withAccount: true))
  }

  /// - Throws: `VerbFailure` for the embedded server, which has no address.
  private func reachableServer(_ session: CommandSession) async throws -> ServerURL {
    guard let server = await session.services.server.url else {
      throw VerbFailure(
        .refused, "A phone cannot reach the embedded server: it listens on this machine only.",
        advice: "Run `rally serve` for your group, and sign in there: rally --server ADDRESS.")
    }
    return try address.map { text throws(FieldProblem) in try ServerURL(text) } ?? server
  }

  private func show(_ setup: PhoneSetup, of phone: PhoneRecord, _ output: Output) throws {
    if global.json {
      try output.json(PhoneSetupRow(phone: phone, setup: setup))
    } else {
      let picture = noQR ? nil : TerminalQRCode(setup.link, isPlain: global.isPlain)
      for line in picture?.lines ?? [] { output.data(line) }
      output.data(setup.link)
      output.message(setup.app.instruction)
      output.message("Or type in \(setup.app.title):")
      for setting in setup.settings { output.message("  \(setting.name): \(setting.value)") }
      if let hint = picture?.hint { output.message(hint) }
    }
    output.message(
      "It is shown only this once. `rally location phone revoke \(phone.name.shellWord)` ends it.")
    if let warning = setup.warning { output.message(warning) }
  }
}

struct PhoneList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List your phones, and what became of their reports.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let phones = try await session.services.phonesService.fetchPhones()
    let now = WireTime.now
    try session.list(
      phones, as: PhoneRow.init, headings: ["phone", "app", "last report"],
      nothing: "No phone reports for you. `rally location phone add APP` adds one."
    ) { phone in
      let report = PhoneText.report(of: phone, at: now)
      let problem = PhoneText.problem(of: phone, at: now)?.cleanedForDisplay
      return [
        phone.name.cleanedForDisplay, phone.app.title,
        [report, problem].compactMap(\.self).joined(separator: "; "),
      ]
    }
  }
}

struct PhoneRevoke: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "End a phone's credential at once.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The phone's name, or its id.") var phone: String

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let service = await session.services.phonesService
    let found = try await service.fetchPhones().first {
      $0.name == phone || $0.id.wireText == phone.lowercased()
    }
    guard let found else {
      throw VerbFailure(
        .refused, "You have no phone called \(phone).",
        advice: "`rally location phone list` lists them.")
    }
    try await service.revokePhone(found.id)
    session.output.message(OutcomeText.revoked(found))
  }
}

extension PhoneApp: ExpressibleByArgument {}

// The rows that the phone verbs print with `--json`: what is unknown is null.

/// A phone without its credential.
struct PhoneRow: JSONRow {
  let phone: PhoneRecord

  init(_ phone: PhoneRecord) { self.phone = phone }

  var members: [String: (any Encodable)?] {
    [
      "id": phone.id.wireText,
      "app": phone.app,
      "name": phone.name,
      "created_at": phone.createdAt,
      "last_post_at": phone.lastPostAt,
      "last_fix_at": phone.lastFixAt,
      "problem": phone.problem,
      "problem_at": phone.problemAt,
    ]
  }
}

/// What goes into a phone, once.
struct PhoneSetupRow: JSONRow {
  let phone: PhoneRecord
  let setup: PhoneSetup

  var members: [String: (any Encodable)?] {
    [
      "id": phone.id.wireText,
      "app": phone.app,
      "name": phone.name,
      "address": setup.address,
      "link": setup.link,
      "secret": setup.secret.value,
      "settings": setup.settings,
    ]
  }
}
