import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct DraftKeeperTests {
  private let folder: TemporaryFolder
  private let authService: AuthService

  init() async throws {
    folder = try TemporaryFolder()
    authService = DraftServer.accepting().authService
    _ = try await authService.signIn(email: "ana@rally.local", password: "lantern")
  }

  /// As the program begins anew: nothing in memory, the same folder.
  private func keeper() -> DraftKeeper {
    DraftKeeper(
      authService: authService,
      persistenceService: PersistenceService(folder: folder.file("drafts")))
  }

  private func form(_ title: String) -> MissionForm {
    var form = MissionForm()
    form.title = title
    form.place = PlaceEntry(Place(name: "Lisbon", coordinate: Samples.lisbon))
    form.objectives = [ObjectiveEntry()]
    return form
  }

  @Test func `what was typed outlives the program, in a file for its owner alone`() async throws {
    await keeper().keep(form("Fog run"), in: .new)
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
    await keeper.keep(form("new"), in: .new)
    await keeper.keep(form("old"), in: .mission(id))
    await keeper.keep(nil, in: .new)
    let later = self.keeper()
    #expect(await later.mission(.new) == nil)
    #expect(await later.mission(.mission(id))?.title == "old")
    await later.keep(nil, in: .mission(id))
    #expect(folder.contents.filter { $0.hasPrefix("drafts/") }.isEmpty)
  }

  @Test func `signing out forgets what was typed`() async throws {
    let keeper = keeper()
    await keeper.keep(form("mine"), in: .new)
    await keeper.forget(userID: DraftServer.userID)
    #expect(await keeper.mission(.new) == nil)
    #expect(folder.contents.filter { $0.hasPrefix("drafts/") }.isEmpty)
  }

  @Test func `a draft whose writing was given up is not written`() async throws {
    let keeper = keeper()
    let form = form("late")
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await keeper.keep(form, in: .new)
    }.value
    #expect(await keeper.mission(.new) == nil)
  }

  @Test func `of writes that follow each other the last one stays`() async throws {
    let keeper = keeper()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        await keeper.keep(form("\(number)"), in: .new)
        group.addTask { _ = await keeper.mission(.new) }
      }
    }
    #expect(await self.keeper().mission(.new)?.title == "49")
  }
}
