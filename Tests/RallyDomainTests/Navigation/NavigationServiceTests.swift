import RallyTestSupport
import Testing

@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct NavigationServiceTests {
  @Test func `each tab keeps what was opened on it`() {
    let navigation = NavigationService(selectedTab: .friends)
    navigation.push(.person(Samples.id(1)))
    navigation.select(.map)
    #expect(navigation.route == nil)
    navigation.select(.friends)
    #expect(navigation.route == .person(Samples.id(1)))
    #expect(navigation.pop())
    #expect(!navigation.pop())
  }

  @Test func `the map comes first`() {
    let navigation = NavigationService()
    #expect(navigation.selectedTab == .map)
    navigation.select(.missions)
    navigation.reset()
    #expect(navigation.selectedTab == .map)
  }

  @Test func `opening what is open does not stack it`() {
    let navigation = NavigationService()
    navigation.push(.person(Samples.id(1)))
    navigation.push(.person(Samples.id(1)))
    #expect(navigation.path.count == 1)
  }

  @Test func `the neighbour of the last tab is the first`() {
    let navigation = NavigationService(selectedTab: .friends)
    navigation.selectNeighbour(by: 1)
    #expect(navigation.selectedTab == .map)
    navigation.selectNeighbour(by: -1)
    #expect(navigation.selectedTab == .friends)
  }
}
