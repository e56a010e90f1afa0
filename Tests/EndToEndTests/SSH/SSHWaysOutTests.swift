import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// What a guest tries who wants more of the host than Rally. None of it works, and the host
  /// serves on.
  @Suite struct SSHWaysOutTests {
    private struct Way: Sendable {
      var name: String
      var attempt: @Sendable (SSHGuest) async throws -> Bool
    }

    /// Whether a run of `ssh` got nothing: it failed and printed no data.
    private static func isRefused(_ run: CommandRun) -> Bool {
      !run.succeeded && run.output.isEmpty
    }

    /// A connection to something on the host, by a way that `ssh` opens on this side.
    ///
    /// - Parameter connect: Python that makes the socket `s`; what comes back is printed.
    private static func isClosed(
      _ guest: SSHGuest, _ forward: [String], connect: String
    ) async throws -> Bool {
      let tunnel = try RunningCommand(
        "ssh", guest.options + ["-v", "-N"] + forward + [SSHDaemon.address],
        environment: guest.home.environment)
      defer { tunnel.signal(SIGKILL) }
      try await eventually("the tunnel stands, or is refused") {
        tunnel.snapshot.errorText.contains("Entering interactive session")
          || tunnel.snapshot.status != nil
      }
      return try await answersNothing(guest, connect: connect)
    }

    /// Whether the server is not reached by a socket that stands.
    private static func answersNothing(
      _ guest: SSHGuest, connect: String
    ) async throws -> Bool {
      let request = "s.sendall(b'GET /health HTTP/1.0\\r\\n\\r\\n'); print(s.recv(64))"
      let run = try await CommandRun.of(
        "python3",
        ["-c", "import socket,os\ntry:\n \(connect); \(request)\nexcept OSError: print(b'')"],
        environment: guest.home.environment)
      return run.output == "b''\n"
    }

    private static func connection(
      _ options: [String]
    ) -> @Sendable (SSHGuest) async throws -> Bool {
      { isRefused(try await $0.ssh(options, "whoami")) }
    }

    private static let ways: [Way] = [
      Way(name: "-W") { guest in
        let server = try #require(URL(string: guest.host.served.announcement.url))
        return isRefused(
          try await guest.ssh(
            ["-W", "127.0.0.1:\(server.port ?? 0)"], input: "GET /health HTTP/1.0\r\n\r\n"))
      },
      Way(name: "-L") { guest in
        let (socket, server) = (guest.home.folder.file("l"), guest.host.served.announcement.url)
        let target = server.replacing("http://", with: "")
        return try await isClosed(
          guest, ["-L", "\(socket):\(target)"],
          connect: "s=socket.socket(socket.AF_UNIX); s.connect('\(socket)')")
      },
      Way(name: "-L to a Unix socket") { guest in
        let socket = guest.home.folder.file("u")
        return try await isClosed(
          guest, ["-L", "\(socket):/run/dbus/system_bus_socket"],
          connect: "s=socket.socket(socket.AF_UNIX); s.connect('\(socket)')")
      },
      Way(name: "-D") { guest in
        let server = try #require(URL(string: guest.host.served.announcement.url))
        let port = try SSHDaemon.freePort()
        let greeting =
          "s.sendall(bytes([5,1,0])); s.recv(2); s.sendall(bytes([5,1,0,1,127,0,0,1])"
          + "+(\(server.port ?? 0)).to_bytes(2,'big')); s.recv(10)"
        return try await isClosed(
          guest, ["-D", "\(port)"],
          connect: "s=socket.create_connection(('127.0.0.1',\(port))); \(greeting)")
      },
      Way(
        name: "-R",
        attempt: connection(["-o", "ExitOnForwardFailure=yes", "-R", "0:127.0.0.1:22"])),
      Way(name: "-R of a Unix socket") { guest in
        let socket = guest.host.daemon.folder.file("r")
        let run = try await guest.ssh(
          ["-o", "ExitOnForwardFailure=yes", "-R", "\(socket):127.0.0.1:22"], "whoami")
        return isRefused(run) && !FileManager.default.fileExists(atPath: socket)
      },
      Way(name: "a tunnel") { guest in
        let tunnel = try RunningCommand(
          "ssh",
          guest.options + ["-v", "-N", "-o", "ExitOnForwardFailure=yes", "-w", "any:any"]
            + [SSHDaemon.address], environment: guest.home.environment)
        defer { tunnel.signal(SIGKILL) }
        try await eventually("the tunnel is refused") {
          tunnel.snapshot.status != nil || tunnel.snapshot.errorText.contains("prohibited")
        }
        return true
      },
      Way(name: "sftp") { guest in
        let run = try await CommandRun.of(
          "sftp", guest.options + ["-b", "-", SSHDaemon.address],
          environment: guest.home.environment, input: "ls\n")
        return !run.succeeded && !run.output.contains("door")
      },
      Way(name: "a subsystem") { isRefused(try await $0.ssh(["-s"], "sftp")) },
      Way(name: "scp") { try await scp($0, []) },
      Way(name: "scp of old") { try await scp($0, ["-O"]) },
      Way(name: "another user") { guest in
        isRefused(
          try await CommandRun.of(
            "ssh", guest.options + ["root@127.0.0.1", "whoami"],
            environment: guest.home.environment))
      },
      Way(
        name: "a password",
        attempt: connection(["-o", "PreferredAuthentications=password,keyboard-interactive"])),
      Way(name: "no authentication", attempt: connection(["-o", "PubkeyAuthentication=no"])),
    ]

    private static func scp(_ guest: SSHGuest, _ options: [String]) async throws -> Bool {
      let taken = guest.home.folder.file("taken")
      let run = try await CommandRun.of(
        "scp", guest.options + options + ["\(SSHDaemon.address):/etc/passwd", taken],
        environment: guest.home.environment)
      return !run.succeeded && !FileManager.default.fileExists(atPath: taken)
    }

    /// Commands that are none of the list, or more than words.
    private static let commands = [
      "friends; id", "friends && id", "friends | id", "$(id)", "`id`", "friends\nid", "friends > x",
      "/bin/sh", "sh", "bash -i", "-c id", "scp -t /tmp", "rsync --server . /", "exec id",
      "whoami --data /tmp", "whoami --config=/etc/passwd", "whoami --profile other",
      "where --server http://127.0.0.1:1", "where --key x", "where --sources", "where --insecure",
      "friends add ben", "friends --json add ben", "missions export", "missions import x.gpx",
      "missions card x -o f", "map add x", "config edit", "serve", "doctor", "login", "logout",
      "ssh-key add x", "ssh-keys a b c", "ssh-session x", "invite create", "notify", "demo",
      "location replay x", "completions bash", "--generate-completion-script bash",
      "--experimental-dump-help", "friends list \u{1B}[31m", "friends %s%n", "FRIENDS",
      String(repeating: "a ", count: 2000),
    ]

    @Test func `no way out of Rally works, and the host serves on`() async throws {
      let host = try await SSHHost()
      let ana = try await host.guest("ana")
      for way in Self.ways {
        let holds = try await way.attempt(ana)
        #expect(holds, "\(way.name)")
      }
      // Who has come in has a folder that counts their connections.
      #expect(try await ana.ssh([], "whoami", "--json").succeeded)
      let door = host.daemon.folder.contents
      for command in Self.commands {
        // What sshd would hand over, without its half a second for each.
        let run = try await CommandRun.of(
          RallyBinary.required(), ["ssh-session", "--door", "/nowhere", "x"],
          environment: ana.home.environment.merging(["SSH_ORIGINAL_COMMAND": command]) { $1 })
        #expect(run.status == .exited(2), "\(command)")
        #expect(run.output.isEmpty, "\(command)")
        #expect(HostileText.forbidden(in: run.errors) == [], "\(command)")
      }
      for command in ["friends; id > /tmp/x", "$(id)", "friends add ben"] {
        let run = try await ana.ssh([], command)
        #expect(run.status == .exited(2) && run.output.isEmpty, "\(run)")
      }
      // Without a terminal there is no interface.
      #expect(try await ana.ssh(["-T"]).status == .exited(2))
      #expect(host.daemon.folder.contents == door)
      #expect(try await ana.ssh([], "whoami", "--json").json()["username"] == "ana")
      #expect(host.serves)
    }

    @Test func `a guest's process has nothing of the environment that was sent`() async throws {
      let host = try await SSHHost()
      let ana = try await host.guest("ana")
      let sent = [
        "LD_PRELOAD": "/tmp/x.so", "EDITOR": "id", "VISUAL": "id", "RALLY_SERVER": "http://x",
        "RALLY_DATABASE": "x", "BASH_ENV": "/tmp/x", "ENV": "/tmp/x", "LC_ALL": "C",
        "XDG_CONFIG_HOME": "/tmp", "TERMINFO": "/tmp", "COLORTERM": "truecolor",
        "SSH_AUTH_SOCK": "/tmp/agent", "DISPLAY": ":0",
      ]
      let session = try await ana.open(
        ["-A", "-X"] + sent.keys.sorted().flatMap { ["-o", "SendEnv=\($0)"] }
          + ["-o", "SetEnv=PATH=/tmp"], adding: sent)
      try await session.waitForTabs(of: "ana")
      let process = try #require(host.sessions.first)
      let environment = SSHDaemon.environment(of: process)
      #expect(environment["COLORTERM"] == "truecolor")
      #expect(environment["TERM"] == "xterm-256color")
      for name in sent.keys where name != "COLORTERM" {
        #expect(environment[name] == nil, "\(name)")
      }
      #expect(environment["PATH"] != "/tmp")
      session.send("q")
      _ = try await session.waitForExit()
    }

    @Test func `the interface opens no file, no editor, no other server, and does not stop`()
      async throws
    {
      let host = try await SSHHost()
      let ana = try await host.guest("ana")
      let session = try await ana.open()
      try await session.waitUntilLive()
      // Windows from one cell to far more than a screen. The last is not the first: a client that is
      // late tells only the last, and the size of before would be no change there, while the
      // terminal here has lost what it showed.
      for (rows, columns) in [(1, 1), (200, 600), (2, 500), (25, 81)] {
        session.resize(rows: rows, columns: columns)
      }
      // OpenSSH 9.2 looks at its window before it waits for input and output, and may miss a signal
      // that comes between.
      session.send("1")
      try await session.waitUntilLive()
      session.send(":import /etc/passwd\r")
      try await session.waitFor("not read over SSH")
      session.send(.escape)
      try await session.waitForAbsence(of: "not read over SSH")
      // Suspending would leave a stopped process behind.
      session.send(.control("z"))
      session.send("2")
      try await session.waitFor("Nearby")
      session.send("c")
      try await session.waitFor("New mission")
      #expect(!session.screen.contains("editor"))
      session.send(.control("g"))
      session.send("Lanterns")
      try await session.waitFor("Lanterns")
      // The device is not the guest's.
      session.send(.escape)
      try await session.waitForAbsence(of: "New mission")
      session.send(":policy\r")
      try await session.waitFor("no source")
      session.send(.escape)
      try await session.waitForAbsence(of: "no source")
      session.send("ZZ")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(session.leftBehind == [])
      try await eventually("nothing runs") { host.sessions.isEmpty }
    }

    @Test func `the client's own command line opens no connection to the host`() async throws {
      let host = try await SSHHost()
      let ana = try await host.guest("ana")
      let session = try await ana.open(["-o", "EnableEscapeCommandline=yes"])
      try await session.waitUntilLive()
      let port = try SSHDaemon.freePort()
      let target = host.served.announcement.url.replacing("http://", with: "")
      session.send("\r~C")
      try await session.waitFor("ssh> ")
      session.send("-L \(port):\(target)\r")
      // The client says nothing of it: the port is open once it was read.
      let connect = """
        import time
         for _ in range(900):
          try: s=socket.create_connection(('127.0.0.1',\(port))); break
          except OSError: time.sleep(0.1)
         s.settimeout(60)
        """
      #expect(try await Self.answersNothing(ana, connect: connect))
      session.send("ZZ")
      _ = try await session.waitForExit()
      #expect(host.serves)
    }

    @Test func `a second session of a connection is another connection's`() async throws {
      let host = try await SSHHost()
      let ana = try await host.guest("ana")
      let socket = ana.home.folder.file("m")
      let session = try await ana.open(["-M", "-S", socket])
      try await session.waitForTabs(of: "ana")
      let run = try await ana.ssh(["-S", socket], "whoami", "--json")
      #expect(try run.json()["username"] == "ana")
      #expect(
        try await ana.ssh(["-S", socket, "-O", "forward", "-R", "0:127.0.0.1:1"]).succeeded == false
      )
      session.send("ZZ")
      _ = try await session.waitForExit()
    }
  }
}
