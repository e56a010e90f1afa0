import Testing

@testable import rally

extension EndToEnd {
  @Suite struct QuickStartTests {
    @Test(arguments: [
      [], ["--plain"], ["--data", "/tmp/d"],
      ["--data", "/tmp/d", "--server", "http://127.0.0.1:1", "--key", "k", "--profile", "p"],
      ["--config", "c.toml", "--plain", "--profile", ""],
    ])
    func `the short way reads what the parser reads`(_ arguments: [String]) throws {
      let quick = try #require(QuickStart.options(arguments))
      let parsed = try #require(try Rally.parseAsRoot(arguments) as? Rally).global

      #expect(quick.data == parsed.data)
      #expect(quick.config == parsed.config)
      #expect(quick.profile == parsed.profile)
      #expect(quick.server == parsed.server)
      #expect(quick.key == parsed.key)
      #expect(quick.insecure == parsed.insecure)
      #expect(quick.json == parsed.json)
      #expect(quick.quiet == parsed.quiet)
      #expect(quick.color == parsed.color)
      #expect(quick.plain == parsed.plain)
    }

    @Test(arguments: [
      ["status"], ["status", "--follow"], ["status", "--json", "--data", "/tmp/d"],
      ["status", "--format", "{near}", "--profile", "p", "--follow"],
    ])
    func `the short way to the status reads what the parser reads`(_ arguments: [String]) throws {
      let quick = try #require(QuickStart.status(arguments))
      let parsed = try #require(try Rally.parseAsRoot(arguments) as? StatusVerb)
      #expect(quick.format == parsed.format)
      #expect(quick.follows == parsed.follow)
      #expect(quick.global.data == parsed.global.data)
      #expect(quick.global.profile == parsed.global.profile)
      #expect(quick.global.json == parsed.global.json)
      let others = [
        ["status", "--format"], ["status", "--help"], ["status", "x"], ["status", "-q"],
      ]
      for arguments in others { #expect(QuickStart.status(arguments).map { _ in true } == nil) }
    }

    @Test(arguments: [
      ["friends", "list"], ["--help"], ["--data"], ["--data", "--plain"], ["--data=/tmp/d"],
      ["--color", "never"], ["--insecure"], ["rally://invite/7QK2MX9PTF"],
      ["--data", "/tmp/d", "serve"],
      ["--unknown", "value"],
    ])
    func `whatever else is typed is the parser's to read`(_ arguments: [String]) {
      #expect(QuickStart.options(arguments).map { _ in true } == nil)
    }
  }
}
