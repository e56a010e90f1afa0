import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

@MainActor
@Suite struct SharingCoordinatorTests {
  private let text = "rally://invite/7QK2MX9PTF"

  private func code(_ text: String = "7QK2M-X9PTF") throws -> InvitationCode {
    try InvitationCode(text)
  }

  private func offer(
    _ code: InvitationCode, isAccepted: Bool = false
  ) throws -> InvitationOffer {
    InvitationOffer(
      code: code, inviter: person, mission: nil, expiresAt: nil, isAccepted: isAccepted)
  }

  private let person = ProfileRecord(
    id: UUID(), username: "ana", displayName: "Ana", bio: "", version: 1, createdAt: .now)

  @Test func `an invitation is read, offered, accepted, and each step asks once`() async throws {
    let coordinator = SharingCoordinator()
    let code = try code()
    #expect(coordinator.phase == .idle)
    coordinator.accept()
    coordinator.open(" \(text)\n")
    #expect(coordinator.phase == .reading(code))
    let offer = try offer(code)
    coordinator.received(offer)
    #expect(coordinator.phase == .offered(offer))
    coordinator.accept()
    coordinator.accept()
    #expect(coordinator.phase == .accepting(offer))
    let result = InvitationResult(friend: person)
    coordinator.received(result, of: code)
    #expect(coordinator.phase == .accepted(result))
    coordinator.dismiss()
    #expect(coordinator.phase == .idle)

    // What was asked before anybody listened is kept.
    var directives = coordinator.directives().makeAsyncIterator()
    #expect(await directives.next() == .read(code))
    guard case .accept(code, _) = await directives.next() else {
      Issue.record("no acceptance was asked for")
      return
    }
    // And nothing else was.
    coordinator.open("0000000000")
    #expect(await directives.next() == .read(try InvitationCode("0000000000")))
  }

  @Test func `what is no code, and a code of another server, is said and not asked`() async throws {
    let url = try ServerURL("https://rally.example.org")
    let coordinator = SharingCoordinator(server: .remote(url, key: "k"))
    coordinator.open("7QK2M")
    guard case .refused(let advice, canRetry: false) = coordinator.phase else {
      Issue.record("\(coordinator.phase)")
      return
    }
    #expect(advice.contains("10 letters"))

    coordinator.open("\(text)?server=https%3A%2F%2Felsewhere.example.org")
    guard case .refused(let sentence, canRetry: false) = coordinator.phase else {
      Issue.record("\(coordinator.phase)")
      return
    }
    #expect(sentence.contains("https://elsewhere.example.org"))
    #expect(sentence.contains("https://rally.example.org"))
    coordinator.retry()
    coordinator.accept()

    // The first thing that is asked is the code of this server.
    coordinator.open("\(text)?server=https%3A%2F%2Frally.example.org")
    #expect(coordinator.phase == .reading(try code()))
    var directives = coordinator.directives().makeAsyncIterator()
    #expect(await directives.next() == .read(try code()))
  }

  @Test func `a refusal is final, a lost answer can be asked again with the same client id`()
    async throws
  {
    let coordinator = SharingCoordinator()
    let code = try code()
    coordinator.open(text)
    coordinator.failed(
      code, NetworkError.refused(FunctionFailure(.invitationOver, "It is over."), status: 400))
    #expect(coordinator.phase == .refused("It is over.", canRetry: false))
    coordinator.retry()
    #expect(coordinator.phase == .refused("It is over.", canRetry: false))

    coordinator.open(text)
    coordinator.received(try offer(code))
    coordinator.accept()
    coordinator.failed(code, NetworkError.connectionLost)
    guard case .refused(_, canRetry: true) = coordinator.phase else {
      Issue.record("\(coordinator.phase)")
      return
    }
    coordinator.retry()
    coordinator.received(try offer(code))
    coordinator.accept()
    var ids: [UUID] = []
    for await directive in coordinator.directives() {
      if case .accept(code, let clientID) = directive { ids.append(clientID) }
      if ids.count == 2 { break }
    }
    #expect(ids[0] == ids[1])
  }

  @Test func `answers that nobody waits for any more change nothing`() throws {
    let coordinator = SharingCoordinator()
    let (old, new) = (try code(), try code("0000000000"))
    coordinator.open(old.value)
    coordinator.open(new.value)
    coordinator.received(try offer(old))
    coordinator.failed(old, NetworkError.timedOut)
    #expect(coordinator.phase == .reading(new))
    coordinator.dismiss()
    coordinator.received(try offer(new))
    coordinator.failed(new, NetworkError.timedOut)
    #expect(coordinator.phase == .idle)
  }

  @Test func `what is true already cannot be accepted, and a running acceptance is not given up`()
    throws
  {
    let coordinator = SharingCoordinator()
    let code = try code()
    coordinator.open(text)
    let known = try offer(code, isAccepted: true)
    coordinator.received(known)
    coordinator.accept()
    #expect(coordinator.phase == .offered(known))

    coordinator.open(text)
    let offer = try offer(code)
    coordinator.received(offer)
    coordinator.accept()
    coordinator.open("0000000000")
    #expect(coordinator.phase == .accepting(offer))
  }

  @Test func `the end of the session is no refusal`() throws {
    let coordinator = SharingCoordinator()
    coordinator.open(text)
    coordinator.failed(try code(), NetworkError.signedOut)
    #expect(coordinator.phase == .idle)
  }
}
