import CSpawn
import FoundationEssentials
import Glibc
import Synchronization

/// Starts other programs with what every one of them expects, whatever this process has set up for
/// itself. That is default signal dispositions, no blocked signals, and nothing open but what it is
/// given.
public enum ChildProgram {
  /// The umask that this process was started with; nil while it still has it.
  private static let personMask = Mutex<mode_t?>(nil)

  /// Makes the files that this process creates private to their owner.
  public static func makeOwnFilesPrivate() {
    let former = umask(0o077)
    personMask.withLock { $0 = $0 ?? former }
  }

  /// What a shell does before it starts a program of the person's, whose files are not ours:
  /// `umask 022; `. Empty where nothing has to be done.
  public static var shellPreparation: String {
    personMask.withLock { $0.map { "umask 0\(String($0, radix: 8)); " } ?? "" }
  }

  /// `POSIX_SPAWN_SETSID` of glibc's `<spawn.h>` (and of musl's), which the importer hides because
  /// it is no part of POSIX.
  private static let newSession: Int32 = 0x80

  /// - Parameters:
  ///   - arguments: The first is the program's name.
  ///   - hasOwnSession: Nothing of this terminal reaches it then.
  ///   - environment: Entries like `A=b`; nil passes this process's own on.
  ///   - folder: Its working directory; nil for this process's own, which it keeps busy.
  ///   - openFiles: Adds what it has open as 0, 1 and 2. Everything else is closed.
  /// - Returns: Its process id; somebody has to wait for it.
  /// - Throws: `POSIXError` as `posix_spawn` says.
  public static func spawn(
    _ executable: String, _ arguments: [String], hasOwnSession: Bool = false,
    environment: [String]? = nil, folder: String? = nil,
    openFiles: (inout posix_spawn_file_actions_t) -> Void
  ) throws(POSIXError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    openFiles(&actions)
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder) }

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
}
