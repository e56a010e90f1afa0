import Glibc

/// The process group of this process: the job that a shell stops and continues as a whole.
package enum ProcessGroup {
  /// Whether nobody would continue the group once it is stopped.
  ///
  /// POSIX: a group is orphaned if the parent of every member is in the group itself, or in another
  /// session. `sh -c 'rally; echo'` as the first program of a terminal is such a group, although the
  /// parent of `rally` is of the same session.
  package static func isOrphaned() -> Bool {
    let group = getpgrp()
    let session = getsid(0)
    func isWaited(forBy parent: pid_t) -> Bool {
      getsid(parent) == session && getpgid(parent) != group
    }
    if isWaited(forBy: getppid()) { return false }
    // Processes of others may be hidden; those of a job are the person's own.
    return !parents(ofGroup: group).contains(where: isWaited)
  }

  /// Stops the whole group: under make or a script the shell waits for its direct child.
  ///
  /// - Returns: False, and nothing is stopped, where nobody would continue it.
  @discardableResult
  package static func stop() -> Bool { !isOrphaned() && kill(0, SIGSTOP) == 0 }

  /// The parents of all members of a group, as `/proc` has them.
  private static func parents(ofGroup group: pid_t) -> [pid_t] {
    guard let folder = opendir("/proc") else { return [] }
    defer { closedir(folder) }
    var parents: [pid_t] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let number = pid_t(name), getpgid(number) == group else { continue }
      if let parent = parent(of: number) { parents.append(parent) }
    }
    return parents
  }

  /// The fourth field of `/proc/PID/stat`; the second is a name in brackets, with anything in it.
  private static func parent(of process: pid_t) -> pid_t? {
    let file = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = read(file, &bytes, bytes.count)
    guard count > 0, let bracket = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else {
      return nil
    }
    let fields = bytes[(bracket + 1)..<count].split(separator: UInt8(ascii: " "))
    guard fields.count > 1 else { return nil }
    return pid_t(String(decoding: fields[1], as: UTF8.self))
  }
}
