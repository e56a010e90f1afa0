import Foundation
import RallyTestSupport
import RallyWire

/// Ten thousand guesses at the codes of invitations from one address, one behind the other over one
/// connection: what they cost the server's processor, and how many are looked at.
struct GuessMeasurements {
  private static let count = 10_000

  func measure(into table: inout ResultTable) async throws {
    progress("\(Self.count) guesses at invitations")
    let folder = try TemporaryFolder()
    let server = try RunningCommand(
      RallyBinary.required(),
      ["serve", "--data", folder.file("server"), "--host", "127.0.0.1", "--port", "0", "--json"],
      environment: folder.environment)
    defer { server.signal(SIGTERM) }
    let announcement = try WireJSON.decode(
      ServerAnnouncement.self, from: Data(try await server.firstLine().utf8))
    let connection = try HTTPConnection(port: announcement.port, key: announcement.key)
    var statuses: [Int: Int] = [:]
    let before = Self.processor(of: server)
    for _ in 0..<Self.count {
      let numbers = (0..<InvitationCode.length).map { _ in UInt8.random(in: 0...255) }
      guard let code = InvitationCode(randomNumbers: numbers) else { throw BenchFailure("no code") }
      let body = try WireJSON.encode(InvitationQuestion(code: code))
      statuses[try connection.post(InvitationQuestion.path, body).status, default: 0] += 1
    }
    let spent = Self.processor(of: server) - before
    let looked = statuses[404] ?? 0
    guard looked + (statuses[429] ?? 0) == Self.count else {
      throw BenchFailure("guesses were answered \(statuses)")
    }
    let what = "\(Self.count) guesses at invitations"
    table.add("rally serve", "\(what): processor", spent, target: 1000)
    // The budget, and what comes back to it while they last.
    table.add("rally serve", "\(what): looked at", Double(looked), "codes", target: 400)
  }

  private static func processor(of server: RunningCommand) -> Duration {
    ProcessFigures(of: server.processID)?.processor ?? .zero
  }
}
