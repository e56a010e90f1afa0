import Foundation
import RallyTestSupport
import RallyWire
import Testing

extension EndToEnd {
  /// `rally serve health`, which watches over a server in a container.
  @Suite struct ServeHealthTests {
    /// Answers 503 to everything, and prints its port.
    private static let unready = """
      import http.server
      class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self): self.send_error(503)
        def log_message(self, *arguments): pass
      server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
      print(server.server_port, flush=True)
      server.serve_forever()
      """

    @Test func `health ends with 0 at a ready server, and with 4 when it is gone`() async throws {
      let server = try ServerProcess()
      try await server.start("--metrics-port", "0")
      let metrics = try #require(await server.announcement?.metrics)
      let port = try #require(URLComponents(string: metrics)?.port)
      let ready = try await server.run("health", "\(port)")
      #expect(ready.succeeded, "\(ready)")
      #expect(ready.output == "")
      let url = try #require(await server.announcement?.url)
      #expect(try await server.run("health", "--quiet", "--server", url).errors == "")
      try await server.kill()
      let gone = try await server.run("health", "\(port)")
      #expect(gone.status == .exited(4), "\(gone)")
    }

    @Test func `health ends with 1 at a server that is not ready`() async throws {
      let server = try ServerProcess()
      let unready = try RunningCommand(
        "python3", ["-c", Self.unready], environment: server.folder.environment)
      defer { unready.signal(SIGKILL) }
      let port = try await unready.firstLine().trimmingCharacters(in: .newlines)
      let run = try await server.run("health", port)
      #expect(run.status == .exited(1), "\(run)")
      #expect(run.errors.contains("http://127.0.0.1:\(port) is not ready (status 503)"))
    }
  }
}
