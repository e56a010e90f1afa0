import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import RallyWords
import Testing

@testable import RallyClient
@testable import RallySystem
@testable import RallyTUI
@testable import TerminalKit

/// The sheets of invitations and of a file, over values.
@Suite struct InvitationPictureTests {
  // MARK: My codes

  @Test func `where the group is reached by name the link is for everybody, and as a QR code`()
    async throws
  {
    let settings = AuthSettings(
      policy: .open, publicURL: "https://rally.example.org", ssh: "ssh -p 2222 rally@example.org")
    let server = ServerChoice.remote(try ServerURL("http://127.0.0.1:8787"), key: "key")
    var code = try code("7QK2MX9PTFH3W8RT", uses: 5, used: 1)
    code.usedBy = ["cleo\u{1B}[31m"]
    let shown = await sheet(
      list([code], server: server, settings: settings), size: Size(width: 80, height: 24))
    expect(
      shown,
      shows: """
        ╭─ Your codes ─────────────────────────────────────────────────────────╮
        │  https://rally.example.org/i#7QK2MX9PTFH3W8RT                        │
        │  Whoever accepts it becomes your friend: used 1 of 5, until 8 Mar    │
        │  2026.                                                               │
        │  By it came @cleo[31m.                                               │
        │  With nothing installed: ssh -p 2222 rally@example.org               │
        │                                                                      │
        │  ▸ 7QK2-MX9P-TFH3-W8RT  used 1 of 5   friendship  until 8 Mar 2026   │
        │                                                                      │
        │  c new code  y copy the link  Q QR code  x take back  Esc close      │
        ╰──────────────────────────────────────────────────────────────────────╯
        """)
    var list = list([code], server: server, settings: settings)
    list.showsQRCode = true
    let picture = await sheet(list, size: Size(width: 80, height: 40))
    let lines = try QRCode("https://rally.example.org/i#7QK2MX9PTFH3W8RT").lines
    #expect(lines.allSatisfy { line in picture.contains(line) })
  }

  @Test(arguments: [Size(width: 80, height: 24), Size(width: 60, height: 16)])
  func `the selected code stands above as a link, with what it gives`(_ size: Size) async throws {
    let codes = [
      try code("7QK2MX9PTF", uses: 1, used: 0), try code("H3W8RT5NCA", uses: 5, used: 2),
      try code("B6Y4ZD1GKP", mission: "木を二十本 植える together", uses: nil, used: 12),
    ]
    let screen = await sheet(
      list(codes, server: .remote(try ServerURL("https://rally.example.org"), key: "key")),
      size: size)
    expect(
      screen,
      shows: size.width == 80
        ? """
        ╭─ Your codes ─────────────────────────────────────────────────────────╮
        │  rally://invite/B6Y4ZD1GKP?server=https%3A%2F%2Frally.example.org    │
        │  Whoever accepts it joins 木を二十本 植える together: used 12        │
        │  times, until 8 Mar 2026.                                            │
        │                                                                      │
        │    7QK2M-X9PTF  1 use         friendship  until 8 Mar 2026           │
        │    H3W8R-T5NCA  used 2 of 5   friendship  until 8 Mar 2026           │
        │  ▸ B6Y4Z-D1GKP  used 12 tim…  mission: 木を二十本 植える together …  │
        │                                                                      │
        │  c new code  y copy the link  Q QR code  x take back  Esc close      │
        ╰──────────────────────────────────────────────────────────────────────╯
        """
        : """
        ╭─ Your codes ─────────────────────────────────────────────╮
        │  rally://invite/B6Y4ZD1GKP?server=https%3A%2F%2Frally.e  │
        │  xample.org                                              │
        │  Whoever accepts it joins 木を二十本 植える together:    │
        │  used 12 times, until 8 Mar 2026.                        │
        │                                                          │
        │    7QK2M-X9PTF  1 use         friendship  until 8 Mar …  │
        │    H3W8R-T5NCA  used 2 of 5   friendship  until 8 Mar …  │
        │  ▸ B6Y4Z-D1GKP  used 12 tim…  mission: 木を二十本 植え…  │
        │                                                          │
        │  c new code  y copy the link  x take back  Esc close     │
        ╰──────────────────────────────────────────────────────────╯
        """)
  }

  @Test func `many codes are scrolled, the link and the keys stay`() async throws {
    let codes = try (0..<9).map { try code("7QK2MX9PT\($0)", uses: 1, used: 0) }
    let screen = await sheet(
      list(codes, server: .embedded), size: Size(width: 60, height: 16))
    expect(
      screen,
      shows: """
        ╭─ Your codes ─────────────────────────────────────────────╮
        │  7QK2M-X9PT8                                             │
        │  Whoever accepts it becomes your friend: 1 use, until 8  │
        │  Mar 2026.                                               │
        │  It works for the accounts of this machine, whose        │
        │  server it is from.                                      │
        │                                                          │
        │    7QK2M-X9PT5  1 use         friendship  until 8 Mar …  │
        │    7QK2M-X9PT6  1 use         friendship  until 8 Mar …  │
        │    7QK2M-X9PT7  1 use         friendship  until 8 Mar …  │
        │  ▸ 7QK2M-X9PT8  1 use         friendship  until 8 Mar …  │
        │                                                          │
        │  c new code  y copy the code  x take back  Esc close     │
        ╰──────────────────────────────────────────────────────────╯
        """)
  }

  @Test func `without a code there is none to copy`() async {
    let screen = await sheet(
      list([], server: .embedded, problem: "The connection broke. Try again."),
      size: Size(width: 60, height: 16))
    expect(
      screen,
      shows: """
        ╭─ Your codes ───────────────────────╮
        │  The connection broke. Try again.  │
        │                                    │
        │  c new code  Esc close             │
        ╰────────────────────────────────────╯
        """)
  }

  // MARK: Somebody else's

  @Test(arguments: [Size(width: 80, height: 24), Size(width: 60, height: 16)])
  func `what an invitation gives is said before it is accepted`(_ size: Size) async throws {
    let screen = await sheet(
      InvitationCard(phase: .offered(try offer(isAccepted: false)), now: Samples.time), size: size)
    expect(
      screen,
      shows: """
        ╭─ Invitation ────────────────────────────────────────────╮
        │  Ana Pereira (@ana) invites you to Lanterns of Alfama.  │
        │  Four lights before the last tram. Meet at the stairs.  │
        │  At 38.7120, -9.1300.                                   │
        │  It is running.                                         │
        │  It ends on 1 Mar 2026, 13:40 UTC.                      │
        │  4 of 6 are in it.                                      │
        │                                                         │
        │  [ Accept ↵ ]     Not now  Esc                          │
        ╰─────────────────────────────────────────────────────────╯
        """)
  }

  @Test func `an invitation on its way says what is being done`() async throws {
    let phases: [(InvitationPhase, String)] = [
      (
        .reading(try InvitationCode("7QK2MX9PTF")),
        """
        ╭─ Invitation ──────────────╮
        │  ⠋ Reading its contents…  │
        │                           │
        │  Esc close                │
        ╰───────────────────────────╯
        """
      ),
      (
        .accepting(try offer(isAccepted: false)),
        """
        ╭─ Invitation ────────────────────────────────────────────╮
        │  Ana Pereira (@ana) invites you to Lanterns of Alfama.  │
        │  Four lights before the last tram. Meet at the stairs.  │
        │  At 38.7120, -9.1300.                                   │
        │  It is running.                                         │
        │  It ends on 1 Mar 2026, 13:40 UTC.                      │
        │  4 of 6 are in it.                                      │
        │                                                         │
        │  ⠋ Accepting…                                           │
        ╰─────────────────────────────────────────────────────────╯
        """
      ),
      (
        .offered(try offer(isAccepted: true)),
        """
        ╭─ Invitation ─────────────────────────────╮
        │  You are in Lanterns of Alfama already.  │
        │                                          │
        │  Esc close                               │
        ╰──────────────────────────────────────────╯
        """
      ),
      (
        .refused("There is no such code, or nobody can accept it any more.", canRetry: false),
        """
        ╭─ Invitation ─────────────────────────────────────────╮
        │  There is no such code, or nobody can accept it any  │
        │  more.                                               │
        │                                                      │
        │  Esc close                                           │
        ╰──────────────────────────────────────────────────────╯
        """
      ),
      (
        .refused("The server did not answer in time. Try again.", canRetry: true),
        """
        ╭─ Invitation ────────────────────────────────────╮
        │  The server did not answer in time. Try again.  │
        │                                                 │
        │  [ Try again ↵ ]     Close  Esc                 │
        ╰─────────────────────────────────────────────────╯
        """
      ),
    ]
    for (phase, picture) in phases {
      let screen = await sheet(
        InvitationCard(phase: phase, now: Samples.time), size: Size(width: 60, height: 16))
      // What is waited for is said after a moment.
      switch phase {
      case .reading: await screen.waitFor("Reading")
      case .accepting: await screen.waitFor("Accepting")
      default: break
      }
      expect(screen, shows: picture)
    }
  }

  // MARK: A file

  @Test(arguments: [Size(width: 80, height: 24), Size(width: 60, height: 16)])
  func `a file is shown by its lines, with what is wrong in it`(_ size: Size) async throws {
    let file = try await file(
      """
      {"type":"FeatureCollection","features":[
      {"type":"Feature","geometry":{"type":"Point","coordinates":[-9,38]},
       "properties":{"name":"Fog run at dawn, with everybody who can get up so early",
        "objectives":["Door", "Well"]}},
      {"type":"Feature","geometry":{"type":"Point","coordinates":[0,0]},"properties":{}},
      {"type":"Feature","geometry":{"type":"Point","coordinates":[139,35]},
       "properties":{"name":"木を二十本 植える"}}]}
      """)
    let screen = await sheet(ImportList(file: file, selection: .constant(0)), size: size)
    expect(
      screen,
      shows: size.width == 80
        ? """
        ╭─ Import ─────────────────────────────────────────────────────────────────╮
        │  2 missions, 1 problem.                                                  │
        │  ▸2   Fog run at dawn, with everybody who can get…  100 m, 2 objectives  │
        │   5 ! Give the mission a title.                                          │
        │   6   木を二十本 植える  100 m                                           │
        │                                                                          │
        │  [ Import ↵ ]     Close  Esc                                             │
        ╰──────────────────────────────────────────────────────────────────────────╯
        """
        : """
        ╭─ Import ─────────────────────────────────────────────────╮
        │  2 missions, 1 problem.                                  │
        │  ▸2   Fog run at dawn, with every…  100 m, 2 objectives  │
        │   5 ! Give the mission a title.                          │
        │   6   木を二十本 植える  100 m                           │
        │                                                          │
        │  [ Import ↵ ]     Close  Esc                             │
        ╰──────────────────────────────────────────────────────────╯
        """)
  }

  @Test func `a file that is not there says so`() async throws {
    let file = ImportStore()
    await file.read("/no/such/walk.gpx")
    let screen = await sheet(
      ImportList(file: file, selection: .constant(nil)), size: Size(width: 60, height: 16))
    expect(
      screen,
      shows: """
        ╭─ Import ────────────────────────────────────╮
        │  /no/such/walk.gpx: There is no such file.  │
        │                                             │
        │  Esc close                                  │
        ╰─────────────────────────────────────────────╯
        """)
  }

  // MARK: Other keys

  @Test func `the sheets name the keys that the configuration gives`() async throws {
    let map = KeyMap(
      bindings: [
        KeyBinding(action: "copy", keys: [.init("Y")]),
        KeyBinding(action: "invitation.make", keys: [.init("n")]),
        KeyBinding(action: "invitation.revoke", keys: []),
        KeyBinding(action: "invitation.accept", keys: [.init("F5")]),
        KeyBinding(action: "import.run", keys: [.init("F6")]),
        KeyBinding(action: "back", keys: [.init("F2")]),
      ], file: "config.toml")
    #expect(map.problems.isEmpty)
    let size = Size(width: 80, height: 24)
    let codes = await sheet(
      list([try code("7QK2MX9PTF", uses: 1, used: 0)], server: .embedded), size: size,
      table: map.table)
    #expect(codes.contains("n new code  Y copy the code  :revoke-code take back  F2 close"))
    let card = await sheet(
      InvitationCard(phase: .offered(try offer(isAccepted: false)), now: Samples.time), size: size,
      table: map.table)
    #expect(card.contains("[ Accept F5 ]     Not now  F2"))
    let file = try await file(
      """
      {"type":"Feature","geometry":{"type":"Point","coordinates":[-9,38]},
       "properties":{"name":"Fog run"}}
      """)
    let list = await sheet(
      ImportList(file: file, selection: .constant(0)), size: size, table: map.table)
    #expect(list.contains("[ Import F6 ]     Close  F2"))
  }

  // MARK: Parts

  private func code(
    _ code: String, mission: String? = nil, uses: Int?, used: Int
  ) throws -> InvitationRecord {
    InvitationRecord(
      code: try InvitationCode(code), missionID: mission.map { _ in Samples.id(1) },
      missionTitle: mission, uses: uses, used: used,
      expiresAt: WireTime("2026-03-08T12:00:00Z"), createdAt: Samples.time)
  }

  private func list(
    _ codes: [InvitationRecord], server: ServerChoice, settings: AuthSettings? = nil,
    problem: String? = nil
  ) -> InvitationList {
    InvitationList(
      codes: codes, selected: codes.last, way: InvitationWay(server: server, settings: settings),
      isBusy: false, problem: problem,
      selection: .constant(codes.last?.id))
  }

  private func offer(isAccepted: Bool) throws -> InvitationOffer {
    InvitationOffer(
      code: try InvitationCode("7QK2MX9PTF"),
      inviter: ProfileRecord(
        id: Samples.id(1), username: "ana", displayName: "Ana Pereira", bio: "", version: 1,
        createdAt: Samples.time),
      mission: .init(MissionSamples.lanterns.record), expiresAt: nil, isAccepted: isAccepted)
  }

  private func file(_ text: String) async throws -> ImportStore {
    let folder = try TemporaryFolder()
    let path = folder.file("walk.geojson")
    try Data(text.utf8).write(to: URL(filePath: path))
    let file = ImportStore()
    await file.read(path)
    return file
  }

  private func sheet(
    _ sheet: some View, size: Size, table: ActionTable = .rally
  ) async -> TestScreen {
    let screen = TestScreen(size: size, table: table, root: SheetPicture(sheet: sheet))
    await screen.waitUntilIdle()
    return screen
  }

  /// Compares the box alone, wherever it stands, with wheels that do not turn.
  private func expect(
    _ screen: TestScreen, shows expected: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let box = screen.picture.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    let still = box.joined(separator: "\n").replacing(/[⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, with: "⠋")
    #expect(still == expected, sourceLocation: sourceLocation)
  }
}

/// A sheet as it stands over a screen.
private struct SheetPicture<Sheet: View>: View {
  let sheet: Sheet

  var body: some View {
    EmptyView().modal(item: .constant(1 as Int?)) { _ in sheet }
  }
}
