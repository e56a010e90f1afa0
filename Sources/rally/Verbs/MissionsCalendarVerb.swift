import ArgumentParser
import Glibc
import RallyClient
import RallyCommand
import RallyDomain
import RallyText
import RallyWire
import RallyWords

struct MissionsCalendar: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calendar", abstract: "Write your missions as a calendar, or give it an address.",
    discussion: """
      The calendar (iCalendar, RFC 5545) has the missions that you are in or invited to and those \
      that were over last, with their times and places and nobody's name. A mission that repeats is \
      one event with its rule.

      With --address the server makes a private address, at which calendar programs read it: it is \
      shown once, the server keeps only a digest of it, and whoever has it sees what you see of your \
      missions, until --revoke. With --json that is an object with address; of --revoke, one with revoked.
      """)

  @OptionGroup var global: GlobalOptions
  @Option(name: .shortAndLong, help: "Write to this file instead of standard output.")
  var output: String?
  @Flag(help: "Make the private address at which calendar programs read it, and show it.")
  var address = false
  @Flag(help: "End the private address at once.") var revoke = false

  func validate() throws {
    if [address, revoke, output != nil].count(where: { $0 }) > 1 {
      throw ValidationError("--address, --revoke and --output exclude each other.")
    }
  }

  func run() async throws {
    if global.json, !address, !revoke {
      throw VerbFailure(
        .usage, "A calendar is iCalendar, and no JSON.",
        advice: "Leave out --json; `rally missions list --json` has the missions.")
    }
    let session = try await CommandSession(global)
    _ = try await session.requireSession()
    if address { return try await makeAddress(session) }
    if revoke { return try await revokeAddress(session) }
    let missions = try await missions(session)
    let text = MissionCalendar(missions, now: .now).text
    guard let output else { return Output.write(text, to: STDOUT_FILENO) }
    try Output.write(text, toFile: output)
    session.output.message("\(missions.count.counted("mission")) written to \(output).")
  }

  private func missions(_ session: CommandSession) async throws -> [MissionRecord] {
    let missionsService = await session.services.missionsService
    let open = try await missionsService.fetchAllMissions(
      scope: .active, limit: MissionCalendar.openLimit)
    let done = try await missionsService.fetchAllMissions(
      scope: .done, limit: MissionCalendar.doneLimit)
    return (open + done).map(\.record)
  }

  // MARK: - The address

  private func makeAddress(_ session: CommandSession) async throws {
    guard let server = await session.services.server.url else {
      throw VerbFailure(
        .refused,
        "Nobody can reach a calendar on the embedded server: it listens on this machine only.",
        advice: "`rally missions calendar --output FILE` writes one. Or run `rally serve` for your"
          + " group, and sign in there: rally --server ADDRESS.")
    }
    let service = await session.services.calendarService
    if let known = try await service.fetchAddress() {
      throw VerbFailure(
        .refused,
        "Your calendar has an address since \(Age.day(known.createdAt)); it was shown only once.",
        advice: "`rally missions calendar --revoke` ends it; then make another one.")
    }
    let made = CalendarAddress(server: server, secret: .random())
    try await service.makeAddress(made.secret)
    if global.json {
      try session.output.json(AddressRow(address: made.url))
    } else {
      session.output.data(made.url)
    }
    session.output.message(
      "It is shown only this once: add it in your calendar program. Whoever has it sees your missions."
    )
    session.output.message("`rally missions calendar --revoke` ends it.")
    if let warning = made.warning { session.output.message(warning) }
  }

  private func revokeAddress(_ session: CommandSession) async throws {
    let service = await session.services.calendarService
    let known = try await service.fetchAddress()
    try await service.revokeAddress()
    if global.json { return try session.output.json(["revoked": known != nil]) }
    session.output.message(
      known == nil ? OutcomeText.noCalendarAddress : OutcomeText.calendarRevoked)
  }

  private struct AddressRow: Encodable {
    var address: String
  }
}
