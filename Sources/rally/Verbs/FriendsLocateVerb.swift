import ArgumentParser
import RallyCommand
import RallyDomain
import RallyWire
import RallyWords

struct FriendsLocate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locate", abstract: "Ask a friend where they are, or print it.",
    discussion: """
      Prints what `rally where NAME` prints if the friend shows you a position of the last 15 \
      minutes; otherwise it prints the older one, if there is one, and asks. The friend answers with a \
      share, or not at all, and you are told nothing but the share. Within ten minutes a second \
      question to the same friend changes nothing.

      With --wait it waits for the next position and prints that; without one in time it fails \
      with 1.
      """)

  /// A younger position is printed without asking.
  static let youngEnough = Duration.seconds(900)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The friend's username.") var username: String
  @Option(help: "Wait this long for the answer: 30s, 2m or 1h.") var wait: String?

  func run() async throws {
    let patience = try wait.map(Self.patience)
    let session = try await CommandSession(global)
    _ = try await session.requireSession()
    let friends = try await session.friends(named: username)
    guard let friend = friends.first else { return }
    let known = try await session.whereRows(of: [friend])
    if let row = known.first, row.now.since(row.position.latestTime) < Self.youngEnough {
      return try print(known, session.output)
    }
    try await session.services.friendsService.askLocation(of: friend.id)
    session.output.message(OutcomeText.askedWhere(friend.handle))
    guard let patience else { return try print(known, session.output) }
    let shown = known.first?.position
    let next = try await session.services.locationsRealtimeService.nextPosition(
      of: friend.id, within: patience
    ) {
      let row = try await session.whereRows(of: [friend]).first
      return row?.position == shown ? nil : row
    }
    guard let row = next else {
      throw VerbFailure(
        .failed, "\(friend.handle) did not show you a new position within \(wait ?? "that time").",
        advice: "`rally where \(friend.username)` prints it once they do.")
    }
    try print([row], session.output)
  }

  private static func patience(typed text: String) throws -> Duration {
    if text.hasSuffix("s"), let seconds = Int(text.dropLast()), (1...3600).contains(seconds) {
      return .seconds(seconds)
    }
    return try ShareTime.duration(typed: text)
  }

  private func print(_ rows: [WhereRow], _ output: Output) throws {
    if global.json { return try output.json(rows) }
    output.table(rows.map(\.cells), headings: WhereRow.headings)
  }
}
