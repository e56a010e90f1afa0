import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallySystem
@testable import RallyTUI
@testable import TerminalKit

@Suite struct BlockedPaneTests {
  /// A signed-in user's store whose responses come from the gate.
  private func store(_ gate: TransportGate) throws -> SocialStore {
    let folder = try TemporaryFolder()
    let tokens = TokenStore(folder: folder.path, server: "fake")
    try tokens.save(Samples.session(at: .now))
    let address = ServerAddress(endpoint: .url(try ServerURL("http://127.0.0.1:1")), key: "key")
    let client = SupabaseClient(tokens: tokens, transport: gate.transport) { [folder] in
      _ = folder
      return address
    }
    return SocialStore(
      authService: AuthService(client: client), friendsService: FriendsService(client: client),
      profileService: ProfileService(client: client),
      friendsRealtimeService: FriendsRealtimeService(client: client),
      persistenceService: PersistenceService())
  }

  private func screen(_ store: SocialStore) -> TestScreen {
    TestScreen(
      size: Size(width: 80, height: 10), table: .rally,
      root: BlockedPane().environment(\.socialStore, store))
  }

  @Test func `the pane shows the people of its subtree's store`() async throws {
    // given
    let gate = TransportGate(over: nil)
    let row = DatedProfileRecord(
      profile: ProfileRecord(
        id: Samples.id(1), username: "kenji", displayName: "Kenji", bio: "", version: 1,
        createdAt: Samples.time), createdAt: Samples.time)
    gate.answer(
      "fetch_blocked_users", HTTPAnswer(status: 200, body: try WireJSON.encode([row])), times: 1)
    gate.answer(
      "fetch_blocked_users",
      HTTPAnswer(status: 200, body: try WireJSON.encode([DatedProfileRecord]())))
    // when
    let screen = screen(try store(gate))
    // then
    await screen.waitFor("@kenji")
    #expect(screen.contains("blocked"))
  }

  @Test func `a failure of that store stands where the list would`() async throws {
    let gate = TransportGate(over: nil)
    gate.fail("fetch_blocked_users", with: .timedOut)
    let screen = screen(try store(gate))
    await screen.waitFor("The server did not answer in time.")
  }
}
