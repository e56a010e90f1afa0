import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

/// A link, asked about by somebody who has nothing else.
@Suite @MainActor struct InvitationLookupTests {
  private func problem(
    of link: InvitationLink, transport: Transport = .live
  ) async -> InvitationLookup.Problem? {
    do {
      _ = try await InvitationLookup(transport: transport).find(link)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a link leads to its server, with the key and the name of who invites`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = InvitationsService(client: ana.client)
      let code = try await service.createInvitation().code
      let url = try ServerURL(server.url)
      let found = try await InvitationLookup().find(InvitationLink(code: code, server: url))
      #expect(found.server == .remote(url, key: server.key))
      #expect(found.code == code)
      #expect(found.invitation.sentence == "@ana invites you: you become friends.")
      // Once it is taken back nothing is told but that.
      try await service.revokeInvitation(code)
      let gone = await problem(of: InvitationLink(code: code, server: url))
      #expect(gone?.sentence.contains("is not open") == true)
      #expect(gone?.canRetry == false)
    }
  }

  @Test func `http is for https first, and at home the http that was written`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let code = try await InvitationsService(client: ana.client).createInvitation().code
      let plain = try ServerURL(server.url)
      let secure = try ServerURL("https://127.0.0.1:1")
      let found = try await InvitationLookup().find(
        InvitationLink(code: code, server: secure, plainServer: plain))
      #expect(found.server.url == plain)
      // Nobody on the way to a public address reads a code.
      let gate = TransportGate(over: nil)
      let far = InvitationLink(code: code, server: try ServerURL("http://203.0.113.9"))
      let refused = await problem(of: far, transport: gate.transport)
      #expect(refused?.sentence.contains("Without TLS") == true)
      #expect(gate.calls(of: "/i") == 0)
    }
  }

  @Test func `a server that is not there can be asked again, what is no Rally server cannot`()
    async throws
  {
    let code = try InvitationCode("7QK2MX9PTFH3W8RT")
    let nobody = InvitationLink(code: code, server: try ServerURL("http://127.0.0.1:1"))
    #expect(await problem(of: nobody)?.canRetry == true)
    let elsewhere = Transport(
      send: { _ in HTTPAnswer(status: 404, body: Data("nothing here".utf8)) },
      openSocket: { _ in throw NetworkError.timedOut })
    let foreign = await problem(of: nobody, transport: elsewhere)
    #expect(foreign?.canRetry == false)
    #expect(foreign?.sentence.contains("takes no invitations by link") == true)
  }

  @Test func `what a hostile server says is cleaned`() async throws {
    let code = try InvitationCode("7QK2MX9PTFH3W8RT")
    let hostile = Transport(
      send: { call in
        let mark = call.headers.first { $0.name == AnswerMark.requestHeader }?.value ?? ""
        let invitation = OpenInvitation(
          inviter: .init(username: "ana\u{1B}[31m", displayName: "\u{202E}ana"),
          mission: .init(title: "Run\u{7}\nnow", day: "2026-05-02"), key: "k")
        return HTTPAnswer(
          status: 200, headers: [AnswerMark.answerHeader.lowercased(): mark],
          body: try WireJSON.encode(invitation))
      }, openSocket: { _ in throw NetworkError.timedOut })
    let found = try await InvitationLookup(transport: hostile).find(
      InvitationLink(code: code, server: try ServerURL("http://127.0.0.1:1")))
    #expect(HostileText.forbidden(in: found.invitation.sentence) == [])
    #expect(found.invitation.sentence.hasSuffix("on 2 May 2026."))
  }
}
