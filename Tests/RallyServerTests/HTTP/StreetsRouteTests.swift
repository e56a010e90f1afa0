import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// The archive of streets that a server offers.
@Suite struct StreetsRouteTests {
  private func offer(
    _ content: String, _ body: (TestServer, RawClient, TemporaryFolder) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    try content.write(toFile: folder.file("city.pmtiles"), atomically: true, encoding: .utf8)
    try await TestServer.with(configure: { $0.streets = folder.file("city.pmtiles") }) { server in
      try await body(server, try await Person.signUp("ana", on: server).client, folder)
    }
  }

  @Test func `parts of the file are sent, with its length and version`() async throws {
    try await offer("0123456789") { _, client, folder in
      let part = try await client.send(
        .GET, StreetsOffer.path, headers: ["range": "bytes=2-4"])
      #expect(part.status == 206)
      #expect(String(decoding: part.body, as: UTF8.self) == "234")
      #expect(part.headers.first(name: "content-range") == "bytes 2-4/10")
      let version = try #require(part.headers.first(name: "etag"))
      let whole = try await client.send(.GET, StreetsOffer.path)
      #expect(whole.status == 200)
      #expect(String(decoding: whole.body, as: UTF8.self) == "0123456789")
      #expect(whole.headers.first(name: "etag") == version)
      // It can be replaced while the server runs, and be gone.
      try "abc".write(
        toFile: folder.file("city.pmtiles"), atomically: true, encoding: .utf8)
      let other = try await client.send(.GET, StreetsOffer.path, headers: ["range": "bytes=0-0"])
      #expect(String(decoding: other.body, as: UTF8.self) == "a")
      #expect(other.headers.first(name: "etag") != version)
      try FileManager.default.removeItem(atPath: folder.file("city.pmtiles"))
      #expect(try await client.send(.GET, StreetsOffer.path).status == 404)
    }
  }

  @Test func `no other file is reached, and nothing without the key and a session`() async throws {
    try await offer("0123456789") { server, client, folder in
      try "secret".write(toFile: folder.file("other"), atomically: true, encoding: .utf8)
      for path in [
        "/storage/v1/object/public/streets/other", "/storage/v1/object/public/streets/../other",
        "/storage/v1/object/public/streets/streets.pmtiles/../../other",
      ] {
        let answer = try await client.send(.GET, path)
        #expect(answer.status == 404 || answer.status == 400, "\(path)")
        #expect(!String(decoding: answer.body, as: UTF8.self).contains("secret"))
      }
      // The key that an invitation opens brings to the sign-up and to nothing else.
      let invited = try await RawClient(server).send(.GET, StreetsOffer.path)
      #expect(invited.status == 401)
      #expect(!String(decoding: invited.body, as: UTF8.self).contains("0123"))
      #expect(
        try await client.send(.POST, "/auth/v1/logout?scope=global").status == 204)
      #expect(try await client.send(.GET, StreetsOffer.path).status == 401)
      let stranger = RawClient(url: server.url, key: "wrong")
      #expect(try await stranger.send(.GET, StreetsOffer.path).status == 401)
      let another = try await Person.signUp("ben", on: server).client
      #expect(try await another.send(.POST, StreetsOffer.path).status == 404)
    }
  }

  @Test func `a server that offers none has no such file`() async throws {
    try await TestServer.with { server in
      let answer = try await RawClient(server).send(.GET, StreetsOffer.path)
      #expect(answer.status == 404)
    }
  }
}
