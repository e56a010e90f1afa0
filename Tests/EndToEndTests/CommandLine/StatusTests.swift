import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct StatusTests {
    @Test func `without a terminal the interface says what to run instead`() async throws {
      let run = try await Home().rally()
      #expect(run.status == .exited(2))
      #expect(run.output == "")
      #expect(run.errors.contains("terminal"))
      #expect(run.errors.contains("rally "))
    }

    @Test func `help is data and ends well`() async throws {
      let run = try await Home().rally("--help")
      #expect(run.status == .exited(0))
      #expect(run.output.contains("friends"))
      #expect(run.errors == "")
    }

    @Test func `both programs are of one version`() async throws {
      let version = try await Home().must("--version").output
      #expect(version == "rally \(RallyVersion.current)\n")
      #expect(try await Home().must("serve", "--version").output == version)
    }

    @Test(arguments: [["frobnicate"], ["--frobnicate"], ["friends", "add"], ["signup"]])
    func `what cannot be understood is a usage error`(arguments: [String]) async throws {
      let home = try Home()
      let run = try await CommandRun.of(
        RallyBinary.required(), arguments, environment: home.environment)
      #expect(run.status == .exited(2))
      #expect(run.output == "")
      #expect(run.errors.hasPrefix("rally: "))
    }

    @Test(arguments: [
      (["frends"], "There is no `rally frends`. Did you mean `rally friends`?"),
      (
        ["--data", "nowhere", "location", "shwo"],
        "There is no `rally location shwo`. Did you mean `rally location show`?"
      ),
      (["friends", "xyzzy", "--json"], "There is no `rally friends xyzzy`."),
      (["servve"], "There is no `rally servve`. Did you mean `rally serve`?"),
      (["serve", "usres"], "There is no `rally serve usres`. Did you mean `rally serve users`?"),
    ])
    func `a mistyped verb is answered with the nearest one`(
      arguments: [String], sentence: String
    ) async throws {
      let run = try await CommandRun.of(
        RallyBinary.required(), arguments, environment: Home().environment)
      #expect(run.status == .exited(2))
      #expect(run.errors.split(separator: "\n").first.map(String.init) == "rally: \(sentence)")
      #expect(run.errors.contains("--help` lists what there is."))
    }

    @Test func `a link that is no invitation is said to be none`() async throws {
      let run = try await Home().rally("https://example.org/page")
      #expect(run.status == .exited(2))
      #expect(run.errors.hasPrefix("rally: This link is no invitation. Ask whoever invites you"))
    }

    @Test func `columns have headings on a terminal, and none in a pipe`() async throws {
      let home = try Home()
      let piped = try await home.must("serve", "budgets")
      #expect(piped.output.split(separator: "\n").first?.contains("BUDGET") == false)
      let session = try await PtySession(
        RallyBinary.required(), ["serve", "budgets"], environment: home.environment, rows: 80,
        columns: 200)
      let screen = try await session.waitFor("WHAT IT LIMITS")
      #expect(screen.text.hasPrefix("BUDGET "))
    }

    @Test func `a username that cannot be is answered with what to type`() async throws {
      let served = try await ServedRally()
      let run = try await served.home().rally(
        "signup", "--email", "a@example.org", "--username", "a!", "--password-stdin",
        input: Home.password + "\n")
      #expect(run.status == .exited(2))
      #expect(run.errors.contains("a–z") || run.errors.contains("characters"))
    }

    @Test func `a password is not sent over a public network in plain text`() async throws {
      // An address that is kept for documents; nothing is sent to it.
      let run = try await Home(flags: ["--server", "http://203.0.113.9", "--key", "k"]).rally(
        "login", "--email", "ana@example.org", "--password-stdin", input: "some password\n")
      #expect(run.status == .exited(2))
      #expect(run.output == "")
      #expect(
        run.errors == """
          rally: Without TLS anybody on the way to 203.0.113.9 can read passwords.
          Give an address of https, or --insecure if you accept that.

          """)
    }

    @Test func `a server that is away is said to be away`() async throws {
      let run = try await Home(flags: ["--server", "http://127.0.0.1:1", "--key", "k"]).rally(
        "login", "--email", "ana@example.org", "--password-stdin", input: "some password\n")
      #expect(run.status == .exited(4))
      #expect(run.output == "")
    }

    @Test func `a verb without a session says so`() async throws {
      let served = try await ServedRally()
      for arguments in [["whoami"], ["friends", "list"], ["logout"]] {
        let home = try served.home()
        let run = try await CommandRun.of(
          RallyBinary.required(), arguments + home.flags, environment: home.environment)
        #expect(run.status == .exited(3), "\(run)")
      }
    }

    @Test func `a person who is not there is refused`() async throws {
      let served = try await ServedRally()
      let run = try await served.home("ana").rally("friends", "add", "nobody_here")
      #expect(run.status == .exited(5))
    }

    @Test func `doctor prints one document and no secret`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let run = try await home.must("doctor", "--json")
      #expect(try run.json().object?.isEmpty == false)
      let session = home.folder.contents.first { $0.contains("sessions/") && $0.hasSuffix(".json") }
      let file = try #require(session)
      let content = try #require(FileManager.default.contents(atPath: home.folder.file(file)))
      let stored = try WireJSON.decode(AuthSession.self, from: content)
      #expect(!run.output.contains(stored.refreshToken))
      #expect(!run.output.contains(stored.accessToken))
    }
  }
}
