import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct AccountVerbTests {
    @Test func `signing up signs in, and whoami says who`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana", displayName: "Ana Pereira")

      let who = try await home.must("whoami", "--json").json()

      #expect(who["username"] == "ana")
      #expect(who["display_name"] == "Ana Pereira")
      #expect(who["email"] == "ana@example.org")
      #expect(who["server"]?.string == served.announcement.url)
      #expect(who["id"]?.string.flatMap(UUID.init(uuidString:)) != nil)
    }

    @Test func `messages go to standard error and data to standard output`() async throws {
      let served = try await ServedRally()
      let home = try served.home()
      let run = try await home.must(
        "signup", "--email", "ana@example.org", "--username", "ana", "--password-stdin",
        input: Home.password + "\n")
      #expect(run.output == "")
      #expect(!run.errors.isEmpty)
      let list = try await home.must("friends", "list")
      #expect(list.output == "")
      #expect(!list.errors.isEmpty)
    }

    @Test func `a session that cannot be kept is no success, and its file is named`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      _ = try await home.must("logout")
      let sessions = home.folder.file("state/rally/profiles/default/sessions")
      try FileManager.default.removeItem(atPath: sessions)
      try Data().write(to: URL(filePath: sessions))

      let login = try await home.rally(
        "login", "--email", "ana@example.org", "--password-stdin", input: Home.password + "\n")
      #expect(login.status == .exited(1), "\(login)")
      #expect(login.errors.contains(sessions))
      #expect(!login.errors.contains("You are signed in"))

      let signUp = try await home.rally(
        "signup", "--email", "bob@example.org", "--username", "bob", "--password-stdin",
        input: Home.password + "\n")
      #expect(signUp.status == .exited(1), "\(signUp)")
      #expect(signUp.errors.contains(sessions))
      #expect(signUp.errors.contains("rally login"))
      #expect(!signUp.errors.contains("Welcome"))
    }

    @Test func `the password may come from the environment`() async throws {
      let served = try await ServedRally()
      let home = try served.home()
      let run = try await home.rally(
        "signup", "--email", "ana@example.org", "--username", "ana",
        adding: ["RALLY_PASSWORD": Home.password])
      #expect(run.succeeded, "\(run)")
    }

    @Test func `the password is never a flag`() async throws {
      let home = try Home()
      let run = try await home.rally(
        "login", "--email", "ana@example.org", "--password", Home.password)
      #expect(run.status == .exited(2))
      let help = try await home.rally("signup", "--help")
      #expect(!help.output.contains("--password "))
    }

    @Test func `without a terminal and without a password the verb says how to give one`()
      async throws
    {
      let served = try await ServedRally()
      let run = try await served.home().rally("login", "--email", "ana@example.org")
      #expect(run.status == .exited(2))
      #expect(run.errors.contains("--password-stdin"))
      #expect(run.errors.contains("RALLY_PASSWORD"))
    }

    @Test func `a prompt asks for the password without echo`() async throws {
      let served = try await ServedRally()
      let home = try served.home()
      let session = try await home.open(
        "signup", "--email", "ana@example.org", "--username", "ana")
      try await session.waitFor("Password")
      try await eventually("the echo is off") { session.settings?.echoes == false }
      session.send(Home.password + "\r")
      try await session.waitFor("Once more")
      try await eventually("the echo is off") { session.settings?.echoes == false }
      session.send(Home.password + "\r")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(!session.screen.contains(Home.password))
      #expect(session.settings == session.initialSettings)
      try await home.must("whoami")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `an interrupted prompt gives the echo back`(signal: Int32) async throws {
      let served = try await ServedRally()
      let session = try await served.home().open("login", "--email", "ana@example.org")
      try await session.waitFor("Password")
      try await eventually("the echo is off") { session.settings?.echoes == false }
      if signal == SIGINT { session.send(.control("c")) } else { session.signal(signal) }
      #expect(try await session.waitForExit() == .signalled(signal))
      #expect(session.settings == session.initialSettings)
    }

    @Test func `a wrong password is refused, and no account is betrayed`() async throws {
      let served = try await ServedRally()
      _ = try await served.home("ana")
      let home = try served.home()
      let wrong = try await home.rally(
        "login", "--email", "ana@example.org", "--password-stdin", input: "not the password\n")
      let unknown = try await home.rally(
        "login", "--email", "bob@example.org", "--password-stdin", input: "not the password\n")
      #expect(wrong.status == .exited(5))
      #expect(unknown.status == .exited(5))
      #expect(wrong.errors == unknown.errors)
    }

    @Test func `signing out forgets the session`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      try await home.must("logout")
      #expect(try await home.rally("whoami", "--json").status == .exited(3))
      #expect(try await home.rally("friends", "list").status == .exited(3))
    }

    @Test func `profiles keep accounts apart`() async throws {
      let served = try await ServedRally()
      let home = try served.home()
      try await home.profile("work").signUp("ana_work")
      try await home.profile("home").signUp("ana_home")
      #expect(
        try await home.profile("work").must("whoami", "--json").json()["username"] == "ana_work")
      #expect(
        try await home.profile("home").must("whoami", "--json").json()["username"] == "ana_home")
      #expect(try await home.rally("whoami").status == .exited(3))
    }

    @Test func `--data moves everything`() async throws {
      let served = try await ServedRally()
      var home = try served.home()
      home.flags += ["--data", home.folder.file("elsewhere")]
      try await home.signUp("ana")
      try await home.must("whoami")
      let outside = home.folder.contents.filter { name in
        !name.hasPrefix("elsewhere") && !name.hasPrefix("run") && name.contains("/")
      }
      #expect(outside == [])
    }

    @Test func `files are for their owner alone and hold no password`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let files = home.folder.contents.filter { $0.contains("/") }
      #expect(!files.isEmpty)
      #expect(files.filter { (home.folder.permissions(of: $0) ?? 0) & 0o077 != 0 } == [])
      for file in files {
        let content = FileManager.default.contents(atPath: home.folder.file(file)) ?? Data()
        #expect(content.range(of: Data(Home.password.utf8)) == nil, "\(file)")
      }
    }
  }
}
