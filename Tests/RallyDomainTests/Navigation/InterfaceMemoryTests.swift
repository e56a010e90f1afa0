import Foundation
import RallyTestSupport
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite @MainActor struct InterfaceMemoryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func memory() -> InterfaceMemory {
    InterfaceMemory(persistenceService: PersistenceService(folder: folder.path))
  }

  @Test func `the tab and the steps that are done come back`() async throws {
    let first = memory()
    await first.restore()
    #expect(first.tab == .map && first.doneSteps.isEmpty)
    first.note(.friends)
    first.note(done: [.place])
    first.note(done: [.sharing])
    await first.save()

    let second = memory()
    await second.restore()
    #expect(second.tab == .friends)
    #expect(second.doneSteps == [.place, .sharing])
    #expect(folder.permissions(of: "interface.json") == 0o600)
  }

  @Test func `a step that was done once stays done`() {
    let memory = memory()
    memory.note(done: [.friend])
    memory.note(done: [])
    #expect(memory.doneSteps == [.friend])
  }

  @Test func `nothing is written without a change, and nothing is left when it is forgotten`()
    async throws
  {
    let memory = memory()
    await memory.save()
    #expect(!folder.contents.contains("interface.json"))
    memory.note(.missions)
    await memory.save()
    #expect(folder.contents.contains("interface.json"))
    try await memory.forget()
    #expect(!folder.contents.contains("interface.json"))
    #expect(memory.tab == .map)
  }
}
