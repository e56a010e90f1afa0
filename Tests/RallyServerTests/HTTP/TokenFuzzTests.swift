import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// Tokens that somebody has worked on.
@Suite struct TokenFuzzTests {
  private static func changed(_ token: String, _ random: inout SeededGenerator) -> String {
    var bytes = Array(token.utf8)
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0x21...0x7E, using: &random)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(UInt8.random(in: 0x21...0x7E, using: &random), at: place)
      case 3: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &random))
      default: bytes.insert(UInt8(ascii: "."), at: place)
      }
      if bytes.isEmpty { bytes = [0x2E] }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a changed token is never accepted`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let keyRing = KeyRing(try ServerKeys())
    let claims = AccessClaims(
      subject: UUID().wireText, expiresAt: WireTime.now.microseconds / 1_000_000 + 60,
      role: "authenticated", sessionID: UUID().wireText)
    let signer = TokenSigner(keys: keyRing)
    let token = try signer.sign(claims)
    #expect(try signer.verify(token) == claims)
    for _ in 0..<3000 {
      let other = Self.changed(token, &random)
      // The last character of a part has bits that mean nothing.
      let claims = CPUTimeLimit.check(other) { try? signer.verify(other) }
      guard other != token, claims != nil else { continue }
      let (ours, theirs) = (token.split(separator: "."), other.split(separator: "."))
      #expect(ours.dropLast().elementsEqual(theirs.dropLast()), "\(other)")
      #expect(Base64URL.decode(ours[2]) == Base64URL.decode(theirs[2]), "\(other)")
    }
  }

  @Test(arguments: [
    #"{"alg":"none","typ":"JWT"}"#, #"{"alg":"HS512","typ":"JWT"}"#, #"{"alg":"hs256"}"#,
    #"{"alg":["HS256"]}"#, #"{}"#, "[]", "",
  ])
  func `another algorithm is no signature`(_ header: String) throws {
    let keyRing = KeyRing(try ServerKeys())
    let payload = Base64URL.encode(Array(#"{"exp":99999999999,"role":"authenticated"}"#.utf8))
    let signed = Base64URL.encode(Array(header.utf8)) + "." + payload
    let tag = Base64URL.encode(Sodium.hmac(signed.utf8, key: keyRing.current.secret))
    for token in ["\(signed).\(tag)", "\(signed)."] {
      #expect(throws: TokenProblem.self) { try TokenSigner(keys: keyRing).verify(token) }
    }
  }

  @Test(arguments: [
    #"{"role":"authenticated"}"#, #"{"exp":"1","role":"a"}"#, #"{"exp":1e99,"role":"a"}"#,
    #"{"exp":99999999999}"#, #"{"exp":-9223372036854775808,"role":"a"}"#, "[]", "null", "",
    #"{"exp":1,"role":"a"}"#,
  ])
  func `claims that are missing or make no sense are refused`(_ payload: String) throws {
    let keyRing = KeyRing(try ServerKeys())
    let signed =
      Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8)) + "."
      + Base64URL.encode(Array(payload.utf8))
    let token =
      "\(signed).\(Base64URL.encode(Sodium.hmac(signed.utf8, key: keyRing.current.secret)))"
    #expect(throws: TokenProblem.self) { try TokenSigner(keys: keyRing).verify(token, skew: 30) }
  }

  @Test(arguments: [
    #""sub":"not-a-uuid","session_id":"x""#, #""sub":null"#,
    #""sub":"00000000-0000-4000-8000-000000000000""#,
  ])
  func `a token without a person stands for nobody`(_ claims: String) throws {
    let keyRing = KeyRing(try ServerKeys())
    let payload = #"{"exp":9223372036854775807,"role":"authenticated",\#(claims)}"#
    let signed =
      Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8)) + "."
      + Base64URL.encode(Array(payload.utf8))
    let token =
      "\(signed).\(Base64URL.encode(Sodium.hmac(signed.utf8, key: keyRing.current.secret)))"
    let verified = try TokenSigner(keys: keyRing).verify(token, skew: 30)
    if verified.sessionID == "x" || verified.subject == nil || verified.sessionID == nil {
      #expect(Caller(verified) == nil)
    }
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `a changed refresh token is never accepted`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let keyRing = KeyRing(try ServerKeys())
    let token = RefreshToken(sessionID: UUID(), generation: 7)
    let text = token.text(key: keyRing.current.secret)
    #expect(RefreshToken(text, keys: [keyRing.current.secret]) == token)
    for _ in 0..<3000 {
      let other = Self.changed(text, &random)
      if let read = RefreshToken(other, keys: [keyRing.current.secret]) { #expect(read == token) }
    }
  }

  @Test func `services answer changed tokens with their own codes`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      var random = SeededGenerator(seed: 11)
      for _ in 0..<60 {
        let token = Self.changed(ana.session.accessToken, &random)
        guard token != ana.session.accessToken, !token.contains("\\") else { continue }
        let client = RawClient(server, token: token)
        let user = try await client.send(
          .GET, "/auth/v1/user", headers: [AuthFailure.versionHeader: AuthFailure.version])
        guard user.status != 200 else { continue }
        #expect(user.status == 403)
        #expect(user.json["code"] == "bad_jwt")
        let rest = try await client.send(.GET, "/rest/v1/profiles")
        #expect(rest.status == 401)
        #expect(rest.json["code"] == "PGRST301")
        #expect(rest.headers.first(name: "WWW-Authenticate")?.hasPrefix("Bearer error=") == true)
      }
    }
  }
}
