import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  /// What a verb asks of its server, as the server's log has it.
  @Suite struct VerbRequestsTests {
    @Test func `a verb that names a mission or a person costs two requests`() async throws {
      let served = try await ServedRally("--log-level", "info")
      let (ana, _) = (try await served.home("ana"), try await served.home("ben"))
      try await ana.must("missions", "new", "--title", "Lanterns", "--at", "38.7,-9.1")
      func functions(_ arguments: String...) async throws -> [String] {
        let before = served.functions.count
        let run = try await ana.run(arguments)
        #expect(run.succeeded, "\(run)")
        return Array(served.functions.dropFirst(before))
      }
      // Reads are joined that begin within milliseconds, which a busy machine may not manage.
      var said: [String] = []
      for _ in 0..<10 where said.count != 2 {
        said = try await functions("missions", "say", "Lant", "hello")
      }
      #expect(said == ["catch_up", "say_in_mission"])
      #expect(try await functions("friends", "add", "ben") == ["search_people", "request_friend"])
    }
  }
}

extension ServedRally {
  /// The functions that were called, as the log names them.
  fileprivate var functions: [String] {
    command.snapshot.errorText.split(separator: "/rest/v1/rpc/").dropFirst().map {
      String($0.prefix { $0.isLetter || $0 == "_" })
    }
  }
}
