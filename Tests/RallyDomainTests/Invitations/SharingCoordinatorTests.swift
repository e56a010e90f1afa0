import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain

@MainActor
@Suite struct SharingCoordinatorTests {
  private let text = "rally://invite/7QK2MX9PTF"

  @Test func `a code is opened, and one that came before any reader is kept`() async throws {
    let coordinator = SharingCoordinator()
    coordinator.open(" \(text)\n")
    var directives = coordinator.directives().makeAsyncIterator()
    #expect(await directives.next() == .open(try InvitationCode("7QK2MX9PTF")))
    coordinator.open("0000000000")
    #expect(await directives.next() == .open(try InvitationCode("0000000000")))
  }

  @Test func `what is no code is refused, and a code of another server is for there`() async throws
  {
    let url = try ServerURL("https://rally.example.org")
    let coordinator = SharingCoordinator(server: .remote(url, key: "k"))
    var directives = coordinator.directives().makeAsyncIterator()
    coordinator.open("7QK2M")
    guard case .refuse(let short) = await directives.next() else {
      Issue.record("a part of a code was opened")
      return
    }
    #expect(short.advice.contains("16 letters"))
    coordinator.open("\(text)?server=https%3A%2F%2Felsewhere.example.org")
    guard case .elsewhere(let foreign) = await directives.next() else {
      Issue.record("a code of another server was opened")
      return
    }
    #expect(try foreign.server == ServerURL("https://elsewhere.example.org"))
    let problem = try #require(foreign.problem(on: coordinator.server))
    #expect(problem.advice.contains("https://elsewhere.example.org"))
    #expect(problem.advice.contains("https://rally.example.org"))
    coordinator.open("\(text)?server=https%3A%2F%2Frally.example.org")
    #expect(await directives.next() == .open(try InvitationCode("7QK2MX9PTF")))
  }
}
