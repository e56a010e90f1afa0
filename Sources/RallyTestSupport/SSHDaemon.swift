import Foundation

/// OpenSSH's sshd as a user without rights, with the files of `rally serve ssh setup`.
///
/// The system's user that guests log in to exists for these processes only (nss_wrapper), so that
/// nobody needs a user of the machine. Its group file has no `tty`, so that sshd makes terminals
/// also where devpts is mounted without that group.
public final class SSHDaemon: Sendable {
  public let folder: TemporaryFolder
  public let port: Int
  public let process: RunningCommand

  /// What follows the options of ssh, scp and sftp.
  public static let address = "guest@127.0.0.1"
  /// Debian and Ubuntu have it here; it is on nobody's PATH.
  private static let program = "/usr/sbin/sshd"

  /// - Parameters:
  ///   - data: The data folder of the server that it belongs to.
  ///   - server: The address of that server.
  ///   - options: More of `rally serve ssh setup`.
  /// - Throws: `ProcessFailure` if sshd is missing or does not start.
  public init(data: String, server: String, options: [String] = []) async throws {
    guard FileManager.default.isExecutableFile(atPath: Self.program) else {
      throw ProcessFailure("no sshd: run Scripts/install-dependencies --tests")
    }
    folder = try TemporaryFolder()
    let id = getuid() == 0 ? 64_999 : getuid()
    try "root:x:0:0::/root:/bin/sh\nguest:x:\(id):\(id)::\(folder.file("home")):/bin/sh\n"
      .write(toFile: folder.file("passwd"), atomically: true, encoding: .utf8)
    try "root:x:0:\nguest:x:\(id):\n"
      .write(toFile: folder.file("group"), atomically: true, encoding: .utf8)
    // The way to the door, for the user without rights.
    for path in [folder.path, folder.file("home")] { chmod(path, 0o755) }
    for path in [folder.file("passwd"), folder.file("group")] { chmod(path, 0o644) }
    let environment = folder.environment.merging([
      "LD_PRELOAD": "libnss_wrapper.so", "NSS_WRAPPER_PASSWD": folder.file("passwd"),
      "NSS_WRAPPER_GROUP": folder.file("group"),
    ]) { $1 }
    var started: (port: Int, process: RunningCommand)?
    // A port may be taken between asking for a free one and listening.
    for _ in 0..<5 where started == nil {
      let port = try Self.freePort()
      try await Self.setUp(
        folder,
        ["--data", data, "--server", server, "--ssh-port", "\(port)"] + options,
        environment: environment)
      let process = try RunningCommand(
        getuid() == 0 ? "setpriv" : "env",
        (getuid() == 0 ? ["--reuid=\(id)", "--regid=\(id)", "--clear-groups"] : [])
          + [Self.program, "-D", "-e", "-f", folder.file("door/sshd_config")],
        environment: environment)
      if try await Self.listens(process) { started = (port, process) }
    }
    guard let started else { throw ProcessFailure("sshd does not start") }
    (port, process) = started
  }

  deinit { process.signal(SIGKILL) }

  /// False if it ended, as where its port is taken.
  private static func listens(_ process: RunningCommand) async throws -> Bool {
    let deadline = ContinuousClock.now + PtySession.patience
    while ContinuousClock.now < deadline {
      let last = process.snapshot
      if last.errorText.contains("Server listening") { return true }
      if last.status != nil { return false }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw ProcessFailure("sshd says nothing: \(process.snapshot.errorText)")
  }

  private static func setUp(
    _ folder: TemporaryFolder, _ options: [String], environment: [String: String]
  ) async throws {
    let run = try await CommandRun.of(
      RallyBinary.required(),
      [
        "serve", "ssh", "setup", "--into", folder.file("door"), "--guests",
        folder.file("door/guests"), "--listen", "127.0.0.1", "--user", "guest", "--force",
      ] + options, environment: environment)
    guard run.succeeded else { throw ProcessFailure(run.description) }
    let file = folder.file("door/sshd_config")
    // sshd starts a program of root's only, which a build below a home folder is not.
    let text = try String(contentsOfFile: file, encoding: .utf8).replacing(
      "AuthorizedKeysCommand /", with: "AuthorizedKeysCommand /usr/bin/env /")
    try text.write(toFile: file, atomically: false, encoding: .utf8)
    chmod(file, 0o644)
  }

  /// A TCP port of 127.0.0.1 that nobody listens on now.
  ///
  /// - Throws: `ProcessFailure`.
  public static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw ProcessFailure("port", errno: errno) }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// The options of ssh, scp and sftp that come in with this key and nothing of the machine's own.
  ///
  /// - Parameter hosts: The file of known hosts.
  public func options(key: String, hosts: String) -> [String] {
    [
      "-F", "none", "-i", key, "-o", "Port=\(port)", "-o", "IdentitiesOnly=yes",
      "-o", "StrictHostKeyChecking=no", "-o", "LogLevel=ERROR", "-o", "BatchMode=yes",
      "-o", "UserKnownHostsFile=\(hosts)",
    ]
  }

  /// The processes that guests have on this host now.
  public var sessions: [pid_t] {
    let door = folder.file("door/door.json")
    return ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [])
      .compactMap { pid_t($0) }.filter { process in
        let words = Self.strings("/proc/\(process)/cmdline")
        return words.contains("ssh-session") && words.contains(door)
      }
  }

  /// The environment of a process by name.
  public static func environment(of process: pid_t) -> [String: String] {
    strings("/proc/\(process)/environ").reduce(into: [:]) { result, entry in
      let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      result[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
    }
  }

  private static func strings(_ path: String) -> [String] {
    (FileManager.default.contents(atPath: path) ?? Data())
      .split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}
