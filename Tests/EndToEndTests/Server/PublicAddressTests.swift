import Foundation
import RallyTestSupport
import RallyWire
import Testing

extension EndToEnd {
  /// How a group reaches its server, as its operator said it.
  @Suite struct PublicAddressTests {
    @Test func `an address where another server answers is told to the operator`() async throws {
      let other = try await ServedRally()
      let served = try await ServedRally("--public-url", other.announcement.url)
      try await eventually("the address was looked at") {
        served.command.snapshot.errorText.contains(
          "Something else than this server answers at \(other.announcement.url)")
      }
      #expect(!served.command.snapshot.errorText.contains("answers as this server"))
    }

    @Test func `the environment says it as the option does, which wins`() async throws {
      let variables = ["RALLY_PUBLIC_URL": "http://127.0.0.1:1/group"]
      let served = try await ServedRally(adding: variables)
      let ana = try await served.home("ana")
      #expect(try await ana.must("invite").output.hasPrefix("http://127.0.0.1:1/group/i#"))
      let own = try await ServedRally(adding: variables, "--public-url", "http://127.0.0.1:2")
      let ben = try await own.home("ben")
      #expect(try await ben.must("invite").output.hasPrefix("http://127.0.0.1:2/i#"))
    }

    @Test(arguments: [
      ("rally example org", "is no address"), ("http://rally.example.org", "Without TLS"),
    ])
    func `an address that nobody could use is refused before the start`(
      _ address: String, _ reason: String
    ) async throws {
      let home = try Home()
      let run = try await home.rally(
        "serve", "--data", home.folder.file("server"), "--port", "0", "--public-url", address)
      #expect(run.status == .exited(2), "\(run)")
      #expect(run.errors.contains(reason), "\(run)")
    }
  }
}
