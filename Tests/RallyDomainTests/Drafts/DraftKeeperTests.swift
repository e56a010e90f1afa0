import Foundation
import RallyTestSupport
import RallyWire
import Synchronization
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct DraftKeeperTests {
  private let folder: TemporaryFolder
  private let authService: AuthService

  init() async throws {
    folder = try TemporaryFolder()
    authService = DraftServer.accepting().authService
    _ = try await authService.signIn(email: "ana@rally.local", password: "lantern")
  }

  /// As the program begins anew: nothing in memory, the same folder.
  private func keeper(_ notices: StorageNotices = StorageNotices()) -> DraftKeeper {
    DraftKeeper(
      authService: authService,
      persistenceService: PersistenceService(folder: folder.file("drafts"), notices: notices))
  }

  private func form(_ title: String) -> MissionForm {
    var form = MissionForm()
    form.title = title
    form.place = PlaceEntry(Place(name: "Lisbon", coordinate: Samples.lisbon))
    form.objectives = [ObjectiveEntry()]
    return form
  }

  @Test func `what was typed outlives the program, in a file for its owner alone`() async throws {
    try await keeper().keep(form("Fog run"), in: .new)
    let found = try #require(await keeper().mission(.new))
    #expect(found.title == "Fog run")
    #expect(found.place.picked == Samples.lisbon)
    #expect(found.objectives.count == 1)
    #expect(folder.permissions(of: "drafts") == 0o700)
    let file = try #require(folder.contents.first { $0.hasPrefix("drafts/") })
    #expect(folder.permissions(of: file) == 0o600)
  }

  @Test func `every mission has a draft of its own, and sending takes only that one away`()
    async throws
  {
    let id = Samples.id(7)
    let keeper = keeper()
    try await keeper.keep(form("new"), in: .new)
    try await keeper.keep(form("old"), in: .mission(id))
    try await keeper.keep(nil, in: .new)
    let later = self.keeper()
    #expect(await later.mission(.new) == nil)
    #expect(await later.mission(.mission(id))?.title == "old")
    try await later.keep(nil, in: .mission(id))
    #expect(folder.contents.filter { $0.hasPrefix("drafts/") }.isEmpty)
  }

  @Test func `signing out forgets what was typed`() async throws {
    let keeper = keeper()
    try await keeper.keep(form("mine"), in: .new)
    try await keeper.forget(userID: DraftServer.userID)
    #expect(await keeper.mission(.new) == nil)
    #expect(folder.contents.filter { $0.hasPrefix("drafts/") }.isEmpty)
  }

  @Test func `a draft whose writing was given up is not written`() async throws {
    let keeper = keeper()
    let form = form("late")
    try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await keeper.keep(form, in: .new)
    }.value
    #expect(await keeper.mission(.new) == nil)
  }

  @Test func `of writes that follow each other the last one stays`() async throws {
    let keeper = keeper()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        try await keeper.keep(form("\(number)"), in: .new)
        group.addTask { _ = await keeper.mission(.new) }
      }
    }
    #expect(await self.keeper().mission(.new)?.title == "49")
  }

  @Test func `what cannot be written is said, and the same is written once it can be`() async throws
  {
    // given: a file in place of the folder
    try Data().write(to: URL(filePath: folder.file("drafts")))
    let notices = StorageNotices()
    let keeper = keeper(notices)
    // when
    for _ in 0..<2 {
      await #expect(throws: (any Error).self) { try await keeper.keep(form("Fog run"), in: .new) }
    }
    // then
    let told = told(notices)
    #expect(told.count == 2)
    #expect(told.first?.hasSuffix("Nothing is written in its place.") == true)
    #expect(told.last?.hasPrefix("What you type is not kept for the next start: ") == true)
    try FileManager.default.removeItem(atPath: folder.file("drafts"))
    try await keeper.keep(form("Fog run"), in: .new)
    #expect(await self.keeper().mission(.new)?.title == "Fog run")
  }

  @Test func `a write that failed is made up for by the next one, though nothing was typed`()
    async throws
  {
    let keeper = keeper()
    let form = form("Fog run")
    #expect(await keeper.mission(.new) == nil)
    try Data().write(to: URL(filePath: folder.file("drafts")))
    await #expect(throws: (any Error).self) { try await keeper.keep(form, in: .new) }
    try FileManager.default.removeItem(atPath: folder.file("drafts"))
    try await keeper.keep(form, in: .new)
    #expect(await self.keeper().mission(.new)?.title == "Fog run")
  }

  @Test func `a damaged file is set aside under a name that is told, until one signs out`()
    async throws
  {
    // given
    try await keeper().keep(form("Fog run"), in: .new)
    let name = try #require(folder.contents.first { $0.hasPrefix("drafts/") })
    let whole = try Data(contentsOf: URL(filePath: folder.file(name)))
    let half = whole.prefix(whole.count / 2)
    try half.write(to: URL(filePath: folder.file(name)))
    let notices = StorageNotices()
    let keeper = keeper(notices)
    // when
    #expect(await keeper.mission(.new) == nil)
    try await keeper.keep(form("Other"), in: .new)
    // then
    let aside = name.dropLast(5) + ".damaged.json"
    #expect(try Data(contentsOf: URL(filePath: folder.file(String(aside)))) == half)
    #expect(
      told(notices) == [
        "\(name.dropFirst(7)) is damaged. It is kept as \(folder.file(String(aside))), and Rally "
          + "goes on without it."
      ])
    #expect(await self.keeper().mission(.new)?.title == "Other")
    try await keeper.forget(userID: DraftServer.userID)
    #expect(folder.contents.filter { $0.hasPrefix("drafts/") }.isEmpty)
  }

  private func told(_ notices: StorageNotices) -> [String] {
    let told = Mutex<[String]>([])
    notices.listen { sentence in told.withLock { $0.append(sentence) } }
    return told.withLock(\.self)
  }
}
