import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain

/// Lists of builds over real sockets, as Protomaps publishes them.
@Suite struct TileBuildsTests {
  private static let list = """
    [{"key":"20260101.pmtiles","size":1,"uploaded":"2026-01-01T09:00:00.000Z","version":"4.1.0"},
     {"key":"20260301.pmtiles","size":1,"uploaded":"2026-03-01T09:00:00.000Z","version":"5.0.0"},
     {"key":"20260201.pmtiles","size":1,"uploaded":"2026-02-01T09:00:00.000Z","version":"4.2.0"},
     {"key":"../secret.pmtiles","uploaded":"2027-01-01T09:00:00.000Z","version":"4.0.0"},
     {"key":"https://elsewhere.example/x.pmtiles","uploaded":"2027","version":"4.0.0"},
     {"key":7,"version":"4.0.0"}, "nothing",
     {"key":"20251201.pmtiles","uploaded":"2025-12-01T09:00:00.000Z","version":"3.7.0"}]
    """

  private func readable(_ server: RangeServer) async throws -> [TileBuild] {
    let list = try #require(try TileBuilds(of: .builds(server.buildsURL)))
    return try await list.readable()
  }

  @Test func `the newest build with a schema that can be read comes first`() async throws {
    try await RangeServer.with([]) { server in
      server.change { $0.builds = Self.list }
      let builds = try await readable(server)
      #expect(builds.map(\.name) == ["20260201.pmtiles", "20260101.pmtiles"])
      #expect(
        builds.first?.address
          == server.buildsURL.replacing("builds.json", with: "20260201.pmtiles"))
    }
  }

  @Test func `a list without a fitting version says which there are`() async throws {
    try await RangeServer.with([]) { server in
      server.change {
        $0.builds = #"[{"key":"a.pmtiles","version":"6.0"},{"key":"b.pmtiles","version":"3.1"}]"#
      }
      await #expect(
        throws: TileBuildsProblem.noReadableVersion(host: "127.0.0.1", versions: [3, 6])
      ) { try await readable(server) }
    }
  }

  @Test(arguments: ["", "<html>Sign in</html>", "{}", "[]", "[{}]", "[{\"key\":\"a.zip\"}]", "[["])
  func `what is no list is none`(text: String) async throws {
    try await RangeServer.with([]) { server in
      server.change { $0.builds = text }
      await #expect(throws: TileBuildsProblem.noList(host: "127.0.0.1")) {
        try await readable(server)
      }
    }
  }

  @Test func `who asks to wait is believed, and a redirect is followed`() async throws {
    try await RangeServer.with([]) { server in
      server.change {
        $0.status = 429
        $0.retryAfter = "7"
      }
      await #expect(throws: NetworkError.rateLimited(retryAfter: .seconds(7))) {
        try await readable(server)
      }
      try await RangeServer.with([]) { target in
        target.change { $0.builds = Self.list }
        server.change { $0.redirect = target.buildsURL }
        let redirected = try await readable(server)
        #expect(redirected.count == 2)
      }
    }
  }

  @Test func `a source is read as it is written`() throws {
    for (text, source) in [
      ("protomaps", StreetSource.protomaps), ("", .none),
      ("https://example.org/builds.json", .builds("https://example.org/builds.json")),
      ("https://example.org/a.pmtiles", .archive("https://example.org/a.pmtiles")),
      ("/maps/a.pmtiles", .file("/maps/a.pmtiles")),
    ] {
      #expect(try StreetSource(text) == source)
      #expect(source.text == text)
    }
    #expect(StreetSource.protomaps.host == "build.protomaps.com")
    #expect(StreetSource.protomaps.listHost == "build-metadata.protomaps.dev")
    for text in ["osm", "ftp://example.org/a.json", "https://", "me"] {
      #expect(throws: FieldProblem.self) { try StreetSource(text) }
    }
  }
}
