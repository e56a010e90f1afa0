import RallyTestSupport
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite @MainActor struct PaneLayoutServiceTests {
  @Test func `a pane grows and shrinks as far as both keep their room`() {
    let panes = PaneLayoutService()
    #expect(panes.width(of: .friends, standard: 32, in: 80) == 32)
    #expect(panes.widen(.friends, by: 4, standard: 32, in: 80))
    #expect(panes.width(of: .friends, standard: 32, in: 80) == 36)
    #expect(panes.width(of: .map, standard: 28, in: 80) == 28, "each tab has its own")
    while panes.widen(.friends, by: 4, standard: 32, in: 80) {}
    #expect(panes.width(of: .friends, standard: 32, in: 80) == 80 - 1 - PaneLayoutService.narrowest)
    while panes.widen(.friends, by: -4, standard: 32, in: 80) {}
    #expect(panes.width(of: .friends, standard: 32, in: 80) == PaneLayoutService.narrowest)
  }

  @Test func `on another terminal it is as much wider, as far as there is room`() {
    let panes = PaneLayoutService()
    panes.widen(.friends, by: 20, standard: 40, in: 120)
    #expect(panes.width(of: .friends, standard: 40, in: 140) == 60)
    #expect(panes.width(of: .friends, standard: 32, in: 80) == 52)
    #expect(panes.width(of: .friends, standard: 32, in: 76) == 51)
  }

  @Test func `it is remembered in a private file, as it was last`() async throws {
    let folder = try TemporaryFolder()
    let persistence = PersistenceService(folder: folder.file("state"))
    let panes = PaneLayoutService(persistenceService: persistence)
    for _ in 0..<5 { panes.widen(.missions, by: 2, standard: 39, in: 120) }
    panes.widen(.map, by: -2, standard: 30, in: 120)

    let isKept = await eventually {
      let later = PaneLayoutService(persistenceService: persistence)
      await later.restore()
      return later.shifts == [.missions: 10, .map: -2]
    }
    #expect(isKept)
    #expect(folder.permissions(of: "state/panes.json") == 0o600)
  }
}
