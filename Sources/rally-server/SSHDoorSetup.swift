import Foundation
import RallyClient
import RallyCommand
import RallyDomain
import RallyRules
import RallyServer
import RallySystem
import RallyText
import RallyWire

/// The files of an SSH door, and who they belong to.
struct SSHDoorSetup {
  let folder: String
  private let guests: String
  private let server: ServerURL
  private let port: Int
  private let listen: String?
  private let sshd: String
  private let executable: String
  private let takesNewcomers: Bool
  private let user: String
  private let userID: uid_t
  private let groupID: gid_t

  /// - Throws: `VerbFailure`, or `FieldProblem` for an invalid address of the server.
  init(_ verb: ServeSSHSetup, executable: String) throws {
    folder = Self.absolute(verb.into)
    let isRoot = getuid() == 0
    guests = verb.guests.map(Self.absolute) ?? (isRoot ? "/var/lib/rally-ssh" : "\(folder)/guests")
    server = try ServerURL(verb.global.server ?? "http://127.0.0.1:8787")
    takesNewcomers = verb.newcomers
    (port, listen, sshd, self.executable) = (verb.sshPort, verb.listen, verb.sshd, executable)
    let name = verb.user ?? (isRoot ? "rally-ssh" : NSUserName())
    guard let entry = getpwnam(name) else {
      throw VerbFailure(
        .usage, "There is no user \(name.cleanedForDisplay) on this host.",
        advice: "As root: useradd --system --shell /bin/sh --home-dir \(guests) \(name)")
    }
    (user, userID, groupID) = (name, entry.pointee.pw_uid, entry.pointee.pw_gid)
    guard userID != 0 else {
      throw VerbFailure(.usage, "Guests must not be root; give another --user.")
    }
    for path in [folder, guests, sshd, executable] where !path.isPlainPath {
      throw VerbFailure(
        .usage, "The path \(path.cleanedForDisplay) must be absolute, of letters, digits and ._+-")
    }
    if let listen, !listen.utf8.allSatisfy({ Self.addressBytes.contains($0) }) {
      throw VerbFailure(.usage, "“\(listen.cleanedForDisplay)” is no address to listen on.")
    }
  }

  private static let addressBytes = Set("0123456789abcdefABCDEF.:[]".utf8)

  private static func absolute(_ path: String) -> String {
    URL(filePath: path).standardizedFileURL.path
  }

  var configFile: String { "\(folder)/sshd_config" }
  private var doorFile: String { "\(folder)/door.json" }
  private var hostKey: String { "\(folder)/host_key" }
  private var unitFile: String { "\(folder)/rally-ssh.service" }

  /// What the operator does now.
  var nextSteps: String {
    """
    Next:
      \(sshd) -t -f \(configFile)
      cp \(unitFile) /etc/systemd/system/ && systemctl daemon-reload
      systemctl enable --now rally-ssh
    People of the group: rally ssh-key add ~/.ssh/id_ed25519.pub, then
      ssh -p \(port) \(user)@HOST
    The key of this host, for them to compare: ssh-keygen -lf \(hostKey).pub
    """
  }

  /// Guests that run as the owner of the server's data could read its secrets if a wall fell.
  ///
  /// - Throws: `VerbFailure`, where root could choose another one.
  func requireOtherUser(than data: String) throws(VerbFailure) {
    var status = stat()
    guard getuid() == 0, stat(data, &status) == 0, status.st_uid == userID else { return }
    throw VerbFailure(
      .usage, "\(user) is the user of the server in \(data).",
      advice: "Give the guests a user of their own with --user.")
  }

  /// Writes what is missing; the door's secret is always new.
  ///
  /// - Returns: Files that were there and stay.
  /// - Throws: `VerbFailure`, `POSIXError` or `CocoaError`.
  func write(_ credentials: SSHDoorCredentials, replacing isForced: Bool) throws -> [String] {
    // The guests' user must reach it, also through folders above that are made now.
    let mask = umask(0o022)
    defer { umask(mask) }
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    try FileManager.default.createDirectory(
      atPath: guests, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try own(guests)
    var kept: [String] = []
    for (file, text) in [(configFile, config), (unitFile, unit)] {
      if !isForced, FileManager.default.fileExists(atPath: file) {
        kept.append(file)
      } else {
        try write(Data(text.utf8), to: file, isSecret: false)
      }
    }
    try makeHostKey()
    let door = SSHDoorFile(
      server: server.description, apiKey: credentials.apiKey, token: credentials.token,
      guests: guests, takesNewcomers: takesNewcomers)
    try write(try WireJSON.encode(door), to: doorFile, isSecret: true)
    return kept
  }

  /// - Parameter isSecret: Whether it is the guests' user's alone; else whoever runs this owns it,
  ///   and that user only reads it.
  private func write(_ data: Data, to path: String, isSecret: Bool) throws {
    let draft = path + ".new"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw POSIXError.last }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    try handle.write(contentsOf: data)
    guard fsync(file) == 0 else { throw POSIXError.last }
    try handle.close()
    if isSecret { try own(draft) } else { chmod(draft, 0o644) }
    guard rename(draft, path) == 0 else { throw POSIXError.last }
  }

  private func own(_ path: String) throws {
    guard getuid() == 0 else { return }
    guard lchown(path, userID, groupID) == 0 else { throw POSIXError.last }
  }

  private func makeHostKey() throws {
    guard !FileManager.default.fileExists(atPath: hostKey) else { return }
    let keygen = Process()
    keygen.executableURL = URL(filePath: "/usr/bin/env")
    keygen.arguments = [
      "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "rally", "-f", hostKey,
    ]
    keygen.standardInput = FileHandle.nullDevice
    keygen.standardOutput = FileHandle.nullDevice
    try keygen.run()
    keygen.waitUntilExit()
    guard keygen.terminationStatus == 0 else {
      throw VerbFailure(
        .failed, "ssh-keygen made no host key in \(folder).",
        advice: "It comes with OpenSSH: openssh-client.")
    }
    try own(hostKey)
    chmod(hostKey + ".pub", 0o644)
  }

  // MARK: - The files

  private var config: String {
    """
    # Rally over SSH: written by `rally serve ssh setup`, explained in docs/ssh.md.
    Port \(port)
    \(listen.map { "ListenAddress \($0)\n" } ?? "")HostKey \(hostKey)
    PidFile none

    # Who comes in: whoever has a key on the server, and nobody in another way.
    AllowUsers \(user)
    AuthenticationMethods publickey
    PubkeyAuthentication yes
    PasswordAuthentication no
    KbdInteractiveAuthentication no
    HostbasedAuthentication no
    PermitRootLogin no
    UsePAM no
    AuthorizedKeysFile none
    AuthorizedKeysCommand \(executable) ssh-keys --door \(doorFile) %u %t %k %f
    AuthorizedKeysCommandUser \(user)

    # What they get: the forced command of that line and a terminal. A ForceCommand here would
    # replace the forced command, which has the ticket.
    PermitTTY yes
    DisableForwarding yes
    AllowTcpForwarding no
    AllowStreamLocalForwarding no
    AllowAgentForwarding no
    X11Forwarding no
    PermitTunnel no
    PermitOpen none
    PermitListen none
    GatewayPorts no
    PermitUserEnvironment no
    PermitUserRC no
    AcceptEnv COLORTERM LANG
    PrintMotd no
    PrintLastLog no

    # How many, how long. One session a connection: `ssh` opens another connection by itself.
    MaxSessions 1
    MaxAuthTries 10
    LoginGraceTime 60
    MaxStartups 20:30:100
    ClientAliveInterval 30
    ClientAliveCountMax 3
    UseDNS no
    Compression no

    """
  }

  private var unit: String {
    """
    # Rally over SSH: written by `rally serve ssh setup`, explained in docs/ssh.md.
    [Unit]
    Description=Rally over SSH
    After=network.target rally.service

    [Service]
    User=\(user)
    ExecStart=\(sshd) -D -e -f \(configFile)
    ExecReload=/bin/kill -HUP $MAINPID
    Restart=on-failure
    RestartSec=1
    UMask=0077
    LimitNOFILE=65536
    TasksMax=4096
    # A guest takes some 30 MB. Beyond that the kernel ends one of them, and not the host's server.
    MemoryMax=50%
    OOMPolicy=continue
    \(port < 1024 ? "AmbientCapabilities=CAP_NET_BIND_SERVICE\n" : "")\
    CapabilityBoundingSet=\(port < 1024 ? "CAP_NET_BIND_SERVICE" : "")
    NoNewPrivileges=yes
    ProtectSystem=strict
    ReadWritePaths=\(guests)
    ProtectHome=yes
    PrivateTmp=yes
    PrivateDevices=yes
    ProtectClock=yes
    ProtectHostname=yes
    ProtectKernelLogs=yes
    ProtectKernelModules=yes
    ProtectKernelTunables=yes
    ProtectControlGroups=yes
    ProtectProc=invisible
    RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
    RestrictNamespaces=yes
    RestrictRealtime=yes
    RestrictSUIDSGID=yes
    LockPersonality=yes
    MemoryDenyWriteExecute=yes
    RemoveIPC=yes
    SystemCallArchitectures=native
    SystemCallFilter=@system-service seccomp
    SystemCallErrorNumber=EPERM

    [Install]
    WantedBy=multi-user.target

    """
  }
}
