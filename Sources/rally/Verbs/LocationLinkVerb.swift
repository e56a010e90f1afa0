import ArgumentParser
import FoundationEssentials
import RallyCommand
import RallyDomain
import RallyState
import RallySystem
import RallyText
import RallyWire
import RallyWords

struct LocationLink: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "link", abstract: "Show your position to somebody who has only a browser.",
    subcommands: [LocationLinkMake.self, LocationLinkList.self, LocationLinkEnd.self],
    defaultSubcommand: LocationLinkMake.self)
}

struct LocationLinkMake: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make", abstract: "Make a link, and feed it until it ends.",
    discussion: """
      The address is printed first; whoever has it sees where you are. The server passes it on \
      sealed and cannot read it: the key is in the address. This terminal is the link's only feed, \
      so it stays until the end; ^C ends the link. What a phone of yours reports is in no link, \
      since the server can read that. Zones and hours hold: then the last place before them stays, \
      with its old time.

      With --phone the browser of your phone feeds the link instead, and seals what it measures there. \
      Open the second address on the phone, by its QR code: it reports while that page is open. That \
      address is yours alone: whoever has it says where you are. Such a link is precise, and zones and \
      hours do not hold on the phone.

      With --json it is id, address, phone_address, precision, until, watchers, is_from_phone and \
      created_at.
      """)

  @OptionGroup var global: GlobalOptions
  @Option(name: .customLong("for"), help: "How long or until when: 45m, 2h, 21:00 or tonight.")
  var end = "1h"
  @Option(help: "city (10km), area (1km) or precise.") var precision = "precise"
  @Flag(help: "Let the browser of your phone feed it.") var phone = false
  @Flag(help: "Draw no QR code.") var noQR = false
  @Flag(help: "Make a phone's link although your zones and hours do not hold there.") var yes =
    false

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let mode = try SharingMode(typed: precision)
    guard mode > .off else {
      throw VerbFailure(.usage, "A link shows something.", advice: "Take city, area or precise.")
    }
    guard let until = try ShareEnds(now: .now).end(typed: end) else {
      throw VerbFailure(.usage, "A link has an end.", advice: "Take an end within 24 hours.")
    }
    guard await !session.services.ghostService.isPending() else {
      throw VerbFailure(
        .refused, "You are becoming a ghost.", advice: "`rally location ghost off` ends that.")
    }
    if phone { return try await makePhoneLink(mode, until: until, session) }
    _ = try await session.measured(within: .seconds(10))
    try await feed(mode, until: until, session)
  }

  @MainActor
  private func makePhoneLink(
    _ mode: SharingMode, until: WireTime, _ session: CommandSession
  ) async throws {
    let (services, output) = (session.services, session.output)
    let rules = await session.restoredPrivacyRules
    try await rules.fetchAccount()
    if !rules.kept.isEmpty {
      try Confirmation(isGiven: yes).require(
        "Make a link that shows your phone there too?",
        because: "Your zones and hours do not hold in the phone's browser.")
    }
    let store = services.makeWatchStore(sharing: services.makeLocationSharingStore())
    let link = try await store.makeLink(mode, until: until, isFromPhone: true).verbValue()
    guard let address = link.address, let phoneAddress = link.phoneAddress else { return }
    if global.json {
      try output.json(LinkRow(link))
    } else {
      output.data(address)
      let picture = noQR ? nil : TerminalQRCode(phoneAddress, isPlain: global.isPlain)
      for line in picture?.lines ?? [] { output.data(line) }
      output.data(phoneAddress)
      if let hint = picture?.hint { output.message(hint) }
    }
    output.message(
      "Open the second address on the phone. While it is open there, whoever has the first one sees"
        + " where the phone is, until \(until.localTime).")
    output.message("Keep the second one to yourself: whoever has it says where you are.")
    output.message("The page on the phone ends the link, and so does `rally location link end`.")
  }

  @MainActor
  private func feed(_ mode: SharingMode, until: WireTime, _ session: CommandSession) async throws {
    let (services, output) = (session.services, session.output)
    try await session.restoredPrivacyRules.fetchAccount()
    let sharing = services.makeLocationSharingStore()
    let store = services.makeWatchStore(sharing: sharing, placeFinder: .world)
    let link = try await store.makeLink(mode, until: until).verbValue()
    guard let address = link.address else { return }
    if global.json {
      try output.json(LinkRow(link))
    } else {
      output.data(address)
    }
    output.message("\(store.meaning(of: link, until: link.record.until.localTime)) ^C ends it.")
    let running = Task {
      await withDiscardingTaskGroup { group in
        group.addTask { await store.run() }
        // Another process of this profile says where I am, makes a zone or a ghost.
        group.addTask { await sharing.followFiles() }
      }
    }
    let signals = EndSignals { running.cancel() }
    defer { signals.cancel() }
    let feeding = ObservedChanges(of: store.isFeeding) { _, isFeeding in
      if !isFeeding { running.cancel() }
    }
    // The first message may have met the end.
    if !store.isFeeding { running.cancel() }
    await running.value
    withExtendedLifetime(feeding) {}
    if store.isFeeding {
      output.message(OutcomeText.endedLinks(try await store.endLinks(link.id).verbValue()))
    } else {
      output.message(OutcomeText.endedLinks(1))
    }
  }
}

struct LocationLinkList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List your links, and how many have each open.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let links = try await session.services.watchService.fetchLinks()
    try session.list(
      links, as: { LinkRow(WatchLink(record: $0)) }, nothing: OutcomeText.endedLinks(0)
    ) {
      [
        $0.mode.title, "until \($0.until.localTime)", "\($0.watchers) have it open",
        $0.isFromPhone ? "from your phone" : "",
      ]
    }
  }
}

struct LocationLinkEnd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "end", abstract: "End all your links.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let service = await session.services.watchService
    let count = try await service.fetchLinks().count
    try await service.endLinks()
    session.output.message(OutcomeText.endedLinks(count))
  }
}

/// A link to watch. Scripts build on these names: nothing is renamed or left out, and what is unknown
/// is null.
struct LinkRow: JSONRow {
  let link: WatchLink

  init(_ link: WatchLink) { self.link = link }

  var members: [String: (any Encodable)?] {
    [
      "id": link.id,
      "address": link.address,
      "phone_address": link.phoneAddress,
      "is_from_phone": link.record.isFromPhone,
      "precision": link.record.mode,
      "until": link.record.until,
      "created_at": link.record.createdAt,
      "watchers": link.record.watchers,
    ]
  }
}

extension IntentOutcome {
  /// What holds now.
  ///
  /// - Throws: `FieldProblem` for what cannot be used, `VerbFailure` for what was refused.
  fileprivate func verbValue() throws -> Value {
    switch self {
    case .done(let value): return value
    case .invalid(let problem): throw problem
    case .refused, .notStarted: throw VerbFailure(.refused, failureSentence ?? "")
    }
  }
}
