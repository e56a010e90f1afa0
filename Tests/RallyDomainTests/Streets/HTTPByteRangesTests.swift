import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain

/// Parts of a file over real sockets.
@Suite struct HTTPByteRangesTests {
  private let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  @Test func `a part is what was asked for`() async throws {
    try await RangeServer.with(content) { server in
      let file = try HTTPByteRanges(url: server.url + "?signature=a%2Fb")
      #expect(try await file.length() == 100_000)
      #expect(try await file.version() == "\"1\"")
      #expect(try await file.bytes(500..<90_000) == Array(content[500..<90_000]))
      #expect(server.requests == 2)
      #expect(await server.hasSent(89_501))
      #expect(server.sent == 89_501)
      #expect(file.place == server.url)
    }
  }

  @Test func `a server that sends the whole file is refused before its body is read`() async throws
  {
    try await RangeServer.with([UInt8](repeating: 1, count: 32 << 20)) { server in
      server.change { $0.ignoresRanges = true }
      let file = try HTTPByteRanges(url: server.url)
      await #expect(throws: RangeProblem.ignored) { try await file.bytes(0..<100) }
    }
  }

  @Test func `another part than asked for, and none, are refused`() async throws {
    try await RangeServer.with(content) { server in
      let file = try HTTPByteRanges(url: server.url)
      server.change { $0.shift = 1 }
      await #expect(throws: RangeProblem.wrong) { try await file.bytes(0..<100) }
      server.change()
      await #expect(throws: RangeProblem.wrong) { try await file.bytes(99_990..<100_010) }
    }
  }

  @Test func `a file that changes in between is refused`() async throws {
    try await RangeServer.with(content) { server in
      let file = try HTTPByteRanges(url: server.url)
      _ = try await file.bytes(0..<100)
      server.change { $0.etag = "\"2\"" }
      await #expect(throws: RangeProblem.changed) { try await file.bytes(0..<100) }
      server.change(content: Array(content.dropLast()))
      await #expect(throws: RangeProblem.changed) { try await file.bytes(0..<100) }
      server.change(content: Array(content.prefix(50)))
      await #expect(throws: RangeProblem.changed) { try await file.bytes(0..<100) }
    }
  }

  @Test(arguments: [401, 403, 404, 410])
  func `a file that is not there is missing`(status: Int) async throws {
    try await RangeServer.with(content) { server in
      server.change { $0.status = status }
      let file = try HTTPByteRanges(url: server.url)
      await #expect(throws: RangeProblem.missing(status: status)) { try await file.length() }
    }
  }

  @Test func `a broken connection and a server that falls silent end the request`() async throws {
    try await RangeServer.with(content) { server in
      let patient = try HTTPByteRanges(url: server.url)
      server.change { $0.cut = 5_000 }
      await #expect(throws: NetworkError.connectionLost) { try await patient.bytes(0..<10_000) }
      let hasty = try HTTPByteRanges(url: server.url, timeout: .milliseconds(100))
      server.change { $0.silence = 5_000 }
      await #expect(throws: NetworkError.timedOut) { try await hasty.bytes(0..<10_000) }
    }
  }

  @Test func `a redirect is followed, not for ever`() async throws {
    try await RangeServer.with(content) { target in
      try await RangeServer.with([]) { server in
        server.change { $0.redirect = target.url + "?key=1" }
        let file = try HTTPByteRanges(url: server.url)
        #expect(try await file.bytes(10..<20) == Array(content[10..<20]))
        _ = try await file.bytes(0..<20)
        #expect(server.requests == 1)
        server.change { $0.redirect = server.url }
        let loop = try HTTPByteRanges(url: server.url)
        await #expect(throws: RangeProblem.redirected) { try await loop.length() }
        #expect(server.requests == 6)
      }
    }
  }

  @Test func `a redirect never leads from https to http`() throws {
    let address = try FileAddress("https://example.org/a/b.pmtiles?x=1")
    #expect(
      try address.redirected(to: "../c%20d?y").path == "/c%20d?y")
    #expect(
      try address.redirected(to: "https://other.example/z").server.description
        == "https://other.example")
    for location in [nil, "http://example.org/b", "ftp://example.org/b", "https://a:b@c/"] {
      #expect(throws: RangeProblem.redirected) { try address.redirected(to: location) }
    }
  }

  @Test func `plain http goes to private networks only, unless it is allowed`() async throws {
    let transport = Transport(
      send: { _ in throw NetworkError.connectionLost },
      openSocket: { _ in throw NetworkError.connectionLost })
    let url = "http://203.0.113.7/city.pmtiles"
    let file = try HTTPByteRanges(url: url, transport: transport)
    await #expect(throws: NetworkError.plainText(host: "203.0.113.7")) {
      try await file.length()
    }
    let allowed = try HTTPByteRanges(url: url, allowsPlain: true, transport: transport)
    await #expect(throws: NetworkError.connectionLost) { try await allowed.length() }
  }

  @Test(arguments: ["", "city.pmtiles", "ftp://a/b", "https://", "https://me:secret@a/b"])
  func `what is no address of a file is refused with what to type`(url: String) {
    #expect(throws: FieldProblem.self) { try HTTPByteRanges(url: url) }
  }

  @Test(arguments: [
    nil, "", "bytes", "bytes */100", "bytes 0-9/*", "bytes 9-0/100", "bytes 0-100/100",
    "items 0-9/100", "bytes 0-9", "bytes -9/100", "bytes 0-99999999999999999999/1",
  ])
  func `a header that says no part is none`(text: String?) {
    #expect(ContentByteRange(text) == nil)
  }
}
