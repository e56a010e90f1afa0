import FoundationEssentials
import Glibc

/// Starts other programs with what every one of them expects: default signal dispositions and no
/// blocked signals, whatever this process has set up for itself.
public enum ChildProgram {
  /// `POSIX_SPAWN_SETSID` of glibc's `<spawn.h>` (and of musl's), which the importer hides because
  /// it is no part of POSIX.
  private static let newSession: Int32 = 0x80

  /// - Parameters:
  ///   - arguments: The first is the program's name.
  ///   - hasOwnSession: Nothing of this terminal reaches it then.
  ///   - environment: Entries like `A=b`; nil passes this process's own on.
  ///   - openFiles: Adds what it has open.
  /// - Returns: Its process id; somebody has to wait for it.
  /// - Throws: `POSIXError` as `posix_spawn` says.
  public static func spawn(
    _ executable: String, _ arguments: [String], hasOwnSession: Bool = false,
    environment: [String]? = nil, openFiles: (inout posix_spawn_file_actions_t) -> Void
  ) throws(POSIXError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    openFiles(&actions)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | (hasOwnSession ? newSession : 0)
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    argv.append(nil)
    defer { for pointer in argv { free(pointer) } }
    var pid: pid_t = 0
    var variables: [UnsafeMutablePointer<CChar>?] = (environment ?? []).map { strdup($0) }
    variables.append(nil)
    defer { for pointer in variables { free(pointer) } }
    let failure =
      environment == nil
      ? posix_spawn(&pid, executable, &actions, &attributes, argv, environ)
      : posix_spawn(&pid, executable, &actions, &attributes, argv, variables)
    guard failure == 0 else { throw POSIXError(.init(rawValue: failure) ?? .EIO) }
    return pid
  }

  /// Closes what this process has open beyond the first three, as the last of a program's actions;
  /// `posix_spawn` ignores what is closed by then.
  static func closeOthers(_ actions: inout posix_spawn_file_actions_t) {
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    for descriptor in open.compactMap(Int32.init) where descriptor > 2 {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
  }
}
