import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct ScreenMemoryTests {
  @Test func `a screen comes back within a minute, once`() async throws {
    let folder = try TemporaryFolder()
    let folders = try RallyFolders(data: folder.path)
    let memory = ScreenMemory(folders: folders)
    let navigation = NavigationService()
    navigation.push(.person(Samples.id(1)))
    navigation.showMission(Samples.id(2))
    navigation.missionsSection = .done
    navigation.selectedPerson = Samples.id(3)
    navigation.selectedMissions = [.done: Samples.id(4)]
    let left = WireTime.now
    await memory.save(navigation.screen, at: left)

    let found = try #require(await memory.take(at: left.advanced(by: .seconds(59))))
    let next = NavigationService(selectedTab: .map)
    next.show(found)

    #expect(next.personToSelect == Samples.id(3))
    next.selectedPerson = next.personToSelect
    #expect(next.screen == navigation.screen)
    #expect(next.selectedTab == .missions && next.route == .mission(Samples.id(2)))
    #expect(await memory.take(at: left) == nil)
    await memory.save(navigation.screen, at: left)
    #expect(await memory.take(at: left.advanced(by: .seconds(61))) == nil)
  }
}
