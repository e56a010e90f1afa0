import FoundationEssentials
import Glibc

/// `flock` on files and folders, which the kernel releases however the process ends.
package enum FileLock {
  /// Opens the file and locks it, until `release` or the end of the process.
  ///
  /// - Parameters:
  ///   - how: `LOCK_SH` or `LOCK_EX`; waits for other processes unless `LOCK_NB` is added.
  ///   - flags: Those of `open`, beside `O_CLOEXEC`; a new file has mode 0600.
  /// - Throws: `EWOULDBLOCK` if another process holds it, or what the system says.
  package static func take(
    _ path: String, _ how: Int32, flags: Int32 = O_RDONLY
  ) throws(POSIXError) -> Int32 {
    let descriptor = open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw POSIXError.last }
    while flock(descriptor, how) != 0 {
      if errno == EINTR { continue }
      let reason = POSIXError.last
      close(descriptor)
      throw reason
    }
    return descriptor
  }

  /// Ends a lock and closes its file. `close` alone would leave it to a child that another thread
  /// starts just now, which has a copy of the descriptor until it runs its program.
  package static func release(_ lock: Int32) {
    flock(lock, LOCK_UN)
    close(lock)
  }

  /// Whether a process holds the lock of a file now; false if there is no file.
  package static func isHeld(_ path: String, flags: Int32 = O_RDONLY) -> Bool {
    do throws(POSIXError) {
      release(try take(path, LOCK_SH | LOCK_NB, flags: flags))
      return false
    } catch {
      return error.code == .EWOULDBLOCK
    }
  }
}
