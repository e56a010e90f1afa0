import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

@Suite struct SecretRotationTests {
  private let start = WireTime(microseconds: 1_700_000_000_000_000)

  private func claims(endsAfter seconds: Int64, role: String = "authenticated") -> AccessClaims {
    AccessClaims(
      subject: UUID().wireText, expiresAt: start.microseconds / 1_000_000 + seconds, role: role,
      sessionID: UUID().wireText)
  }

  @Test func `tokens of a retired secret are good until they end`() throws {
    let keyRing = KeyRing(try ServerKeys())
    let signer = TokenSigner(keys: keyRing)
    let old = try signer.sign(claims(endsAfter: 3600))
    keyRing.replace(with: keyRing.current.rotated(at: start))
    let new = try signer.sign(claims(endsAfter: 3600))
    for token in [old, new] { _ = try signer.verify(token, at: start) }
    #expect(throws: TokenProblem.expired(secondsAgo: 0)) {
      try signer.verify(old, at: start.advanced(by: .seconds(3600)))
    }
  }

  @Test func `whoever has the retired secret cannot mint for ever`() throws {
    let keyRing = KeyRing(try ServerKeys())
    let thief = TokenSigner(keys: KeyRing(keyRing.current))
    let signer = TokenSigner(keys: keyRing)
    keyRing.replace(with: keyRing.current.rotated(at: start))
    let forged = try thief.sign(claims(endsAfter: 10 * 86_400))
    #expect(throws: TokenProblem.badSignature) { try signer.verify(forged, at: start) }
    #expect(throws: TokenProblem.badSignature) {
      try signer.verify(forged, at: start.advanced(by: .seconds(5 * 86_400)))
    }
  }

  @Test func `the API key outlives every rotation`() throws {
    let keyRing = KeyRing(try ServerKeys())
    let (key, signer) = (keyRing.apiKey, TokenSigner(keys: keyRing))
    for day in 0..<5 {
      keyRing.replace(with: keyRing.current.rotated(at: start.advanced(by: .seconds(day * 86_400))))
    }
    #expect(keyRing.apiKey == key)
    #expect(try signer.verify(key, at: start).role == AccessClaims.anonymousRole)
    #expect(keyRing.current.all.count == 6)
    // Secrets of long ago are forgotten.
    let later = keyRing.current.rotated(at: start.advanced(by: .seconds(120 * 86_400)))
    #expect(later.all.count == 2)
  }

  @Test func `the secret of delays outlives every rotation, and what is written down`() throws {
    let keys = try ServerKeys()
    #expect(keys.moveSecret != keys.secret)
    let rotated = keys.rotated(at: start).rotated(at: start.advanced(by: .seconds(60)))
    #expect(rotated.moveSecret == keys.moveSecret)
    // So a cell that somebody was in is recognised.
    let (cell, owner) = (GridCell(containing: .lisbon, level: .oneKilometre), UUID())
    let ring = KeyRing(keys)
    let mark = CellMarks(keys: ring).mark(cell, of: owner)
    ring.replace(with: rotated)
    #expect(CellMarks(keys: ring).mark(cell, of: owner) == mark)
    let read = try WireJSON.decode(ServerKeys.self, from: WireJSON.encode(rotated))
    #expect(read.moveSecret == keys.moveSecret)
  }

  @Test func `keys of an earlier version have the same secret of delays in every server`() throws {
    let keys = try ServerKeys()
    let file = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(keys))
    var fields = try #require(file.object)
    fields["move_secret"] = nil
    let data = try WireJSON.encode(JSONValue.object(fields))
    let (one, other) = (
      try WireJSON.decode(ServerKeys.self, from: data),
      try WireJSON.decode(ServerKeys.self, from: data)
    )
    #expect(one.moveSecret == other.moveSecret)
    // From the first rotation on it is none that ever signed.
    let rotated = one.rotated(at: start)
    #expect(!rotated.all.contains(rotated.moveSecret))
  }

  @Test func `a token that names another key, or a foreign one, is refused`() throws {
    let signer = TokenSigner(keys: KeyRing(try ServerKeys()))
    let foreign = try TokenSigner(keys: KeyRing(try ServerKeys())).sign(claims(endsAfter: 60))
    #expect(throws: TokenProblem.badSignature) { try signer.verify(foreign, at: start) }
    let parts = try signer.sign(claims(endsAfter: 60)).split(separator: ".")
    let header = Base64URL.encode(Array(#"{"alg":"HS256","kid":"other","typ":"JWT"}"#.utf8))
    #expect(throws: TokenProblem.badSignature) {
      try signer.verify("\(header).\(parts[1]).\(parts[2])", at: start)
    }
  }

  @Test func `a running server takes the new secret and keeps everybody signed in`() async throws {
    let folder = try TemporaryFolder()
    try await TestServer.with(configure: { $0.database = .folder(folder.file("server")) }) {
      server in
      let ana = try await Person.signUp("ana", on: server)
      let before = FileManager.default.contents(atPath: folder.file("server/server.json"))
      // The same as the command does, without the signal, which would reach this whole process.
      try DataFolder(path: folder.file("server")).rotateSecret()
      #expect(server.server.reload() == [])

      #expect(FileManager.default.contents(atPath: folder.file("server/server.json")) != before)
      #expect(folder.permissions(of: "server/server.json") == 0o600)
      #expect(try await ana.client.send(.GET, "/auth/v1/user").status == 200)
      let renewed = try await RawClient(server).send(
        .POST, "/auth/v1/token?grant_type=refresh_token",
        ["refresh_token": .string(ana.session.refreshToken)]
      ).decoded(AuthSession.self)
      let header = { (token: String) in token.split(separator: ".").first }
      #expect(header(renewed.accessToken) != header(ana.session.accessToken))
      let user = try await RawClient(server, token: renewed.accessToken)
        .send(.GET, "/auth/v1/user")
      #expect(user.status == 200)
    }
  }

  @Test func `a running server never makes new keys for lost ones`() async throws {
    let folder = try TemporaryFolder()
    try await TestServer.with(configure: { $0.database = .folder(folder.file("server")) }) {
      server in
      let ana = try await Person.signUp("ana", on: server)
      try FileManager.default.removeItem(atPath: folder.file("server/server.json"))
      let problem = try #require(server.server.reload().first)
      #expect(problem.contains("server.json"))
      #expect(problem.contains("The former secrets stay in use."))
      #expect(!FileManager.default.fileExists(atPath: folder.file("server/server.json")))
      #expect(try await ana.client.send(.GET, "/auth/v1/user").status == 200)
    }
  }

  @Test func `a folder without a server is rotated alone`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("server")
    let first = try DataFolder(path: path).keys()
    #expect(try SecretRotation.rotate(folder: path) == nil)
    let second = try DataFolder(path: path).keys()
    #expect(second.secret != first.secret)
    #expect(second.all.contains(first.secret))
    #expect(second.apiKey == first.apiKey)
    _ = try DataFolderLock(folder: path)
  }
}
