import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  /// What the packages for Debian contain, and that the same input gives the same bytes.
  @Suite(.enabled(if: access("/usr/bin/dpkg-deb", X_OK) == 0)) struct PackageTests {
    private static let version = "1:0.1.0-1"
    private let project = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../..").standardizedFileURL.path
    private let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
    }

    private func run(_ name: String, _ arguments: [String]) async throws -> String {
      let environment = folder.environment.merging(
        ["SOURCE_DATE_EPOCH": "1700000000", "DEB_COMPRESSION": "-Zgzip -z1"]
      ) { $1 }
      let run = try await CommandRun.of(
        name, arguments, environment: environment, folder: project)
      #expect(run.succeeded, "\(run)")
      return run.output
    }

    /// Stages and packs both packages with short scripts in the place of the programs.
    ///
    /// - Returns: The paths of `rally` and `rally-server`.
    private func pack(into name: String) async throws -> [String] {
      let (built, trees) = (folder.file("\(name)/built"), folder.file("\(name)/trees"))
      try FileManager.default.createDirectory(atPath: built, withIntermediateDirectories: true)
      let script = "#!/bin/sh\nexec '\(try RallyBinary.required())' \"$@\"\n"
      for program in ["rally", "rally-server"] {
        try script.write(toFile: "\(built)/\(program)", atomically: true, encoding: .utf8)
      }
      chmod("\(built)/rally", 0o755)
      _ = try await run("Scripts/packaging/deb-stage", [built, trees, Self.version])
      var packed: [String] = []
      for package in ["rally", "rally-server"] {
        let line = try await run(
          "Scripts/packaging/deb-pack",
          [
            package, "\(trees)/\(package)", folder.file(name), "VERSION=\(Self.version)",
            "DEPENDS=libc6 (>= 2.36)",
          ])
        packed.append(line.trimmingCharacters(in: .newlines))
      }
      return packed
    }

    /// The files of a package: mode, owner and path, and where a link leads.
    private func contents(of package: String) async throws -> [String] {
      try await run("dpkg-deb", ["--contents", package]).split(separator: "\n").map {
        let fields = $0.split(separator: " ")
        return ([fields[0], fields[1]] + fields[5...]).joined(separator: " ")
      }
    }

    @Test func `the packages for Debian are the same bytes whenever they are made`() async throws {
      let first = try await pack(into: "first")
      let second = try await pack(into: "second")
      #expect(
        first.map { URL(filePath: $0).lastPathComponent.split(separator: "_").prefix(2) }
          == [["rally", "0.1.0-1"], ["rally-server", "0.1.0-1"]])
      for (one, other) in zip(first, second) {
        #expect(FileManager.default.contentsEqual(atPath: one, andPath: other), "\(one)")
      }
    }

    @Test func `each package has its files, all root's, with the modes that they should have`()
      async throws
    {
      let packages = try await pack(into: "once")
      let client = try await contents(of: packages[0])
      for line in [
        "-rwxr-xr-x root/root ./usr/bin/rally",
        "-rwxr-xr-x root/root ./usr/libexec/rally/rally-server",
        "-rw-r--r-- root/root ./usr/share/bash-completion/completions/rally",
        "-rw-r--r-- root/root ./usr/share/doc/rally/changelog.Debian.gz",
        "-rw-r--r-- root/root ./usr/share/doc/rally/copyright",
        "-rw-r--r-- root/root ./usr/share/man/man1/rally.1.gz",
        "-rw-r--r-- root/root ./usr/share/man/man5/rally-config.5.gz",
        "-rw-r--r-- root/root ./usr/share/man/man7/rally-keys.7.gz",
      ] { #expect(client.contains(line), "\(line)") }
      #expect(!client.contains { $0.contains("./etc/") || $0.contains("systemd") })
      let server = try await contents(of: packages[1])
      for line in [
        "-rw-r--r-- root/root ./etc/rally/server.env",
        "-rw-r--r-- root/root ./usr/lib/systemd/system/rally.service",
        "-rw-r--r-- root/root ./usr/lib/systemd/system/rally.service.d/user.conf",
        "-rw-r--r-- root/root ./usr/lib/systemd/system/rally.socket",
        "-rw-r--r-- root/root ./usr/lib/sysusers.d/rally-server.conf",
        "lrwxrwxrwx root/root ./usr/share/doc/rally-server -> rally",
      ] { #expect(server.contains(line), "\(line)") }
      let modes = Set((client + server).map { $0.prefix(10) })
      #expect(modes.isSubset(of: ["drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--", "lrwxrwxrwx"]))
    }

    @Test func `an upgrade keeps to Rally, and settings that were changed`() async throws {
      let packages = try await pack(into: "once")
      func field(_ name: String, of package: Int) async throws -> String {
        try await run("dpkg-deb", ["--field", packages[package], name])
          .trimmingCharacters(in: .newlines)
      }
      // Debian's own `rally` is 3.3.0, which only an epoch is above.
      #expect(try await field("Version", of: 0) == Self.version)
      #expect(try await field("Depends", of: 0) == "libc6 (>= 2.36), tzdata")
      #expect(try await field("Depends", of: 1).hasPrefix("rally (= \(Self.version)), "))
      let settings = try await run("dpkg-deb", ["--info", packages[1], "conffiles"])
      #expect(settings == "/etc/rally/server.env\n")
      for script in ["postinst", "prerm", "postrm"] {
        #expect(try await run("dpkg-deb", ["--info", packages[1], script]).contains("set -e"))
      }
    }
  }
}
