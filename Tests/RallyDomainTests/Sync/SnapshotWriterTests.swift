import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct SnapshotWriterTests {
  private struct Note: StoreSnapshot {
    static let name = "note"
    var text: String
    var asOf: WireTime
  }

  private func writer(in folder: TemporaryFolder) throws -> (
    SnapshotWriter<Note>, PersistenceService
  ) {
    let tokens = TokenStore(folder: folder.file("tokens"), server: "fake")
    try tokens.save(Samples.session(at: .now))
    let address = ServerAddress(endpoint: .url(try ServerURL("http://127.0.0.1:1")), key: "key")
    let client = SupabaseClient(
      tokens: tokens, transport: TransportGate(over: nil).transport,
      prepare: { [folder] in
        _ = folder
        return address
      })
    let files = PersistenceService(folder: folder.file("files"))
    let writer = SnapshotWriter<Note>(
      authService: AuthService(client: client), persistenceService: files,
      savePause: .seconds(60))
    return (writer, files)
  }

  private func note(_ text: String, after seconds: Int = 0) -> Note {
    Note(text: text, asOf: Samples.time.advanced(by: .seconds(seconds)))
  }

  private func kept(_ files: PersistenceService) async throws -> Note? {
    try await files.retrieve(Note.self, withKey: Note.key(userID: Samples.id(1)))
  }

  @Test func `a change is written at once, the same again only for its time`() async throws {
    let (writer, files) = try writer(in: TemporaryFolder())
    #expect(await writer.read() == nil)
    writer.save(note("one"))
    await writer.finish()
    #expect(try await kept(files) == note("one"))
    writer.save(note("one", after: 59))
    await writer.finish()
    #expect(try await kept(files) == note("one"))
    writer.save(note("one", after: 60))
    await writer.finish()
    #expect(try await kept(files) == note("one", after: 60))
    writer.save(note("two", after: 61))
    writer.save(note("three", after: 62))
    await writer.finish()
    #expect(try await kept(files) == note("three", after: 62))
  }

  @Test func `what was read counts as written`() async throws {
    let folder = try TemporaryFolder()
    let (first, files) = try writer(in: folder)
    first.save(note("one"))
    await first.finish()
    let (second, _) = try writer(in: folder)
    #expect(await second.read() == note("one"))
    second.save(note("one", after: 5))
    await second.finish()
    #expect(try await kept(files) == note("one"))
  }
}
