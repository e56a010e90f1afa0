import Foundation

/// The limit on open files and sockets of this process and its children (`RLIMIT_NOFILE`).
enum OpenFiles {
  /// Files that a process opens beside its sockets, at most.
  static let besideSockets = 500

  /// The hard limit.
  static var most: Int { Int(min(limit.rlim_max, rlim_t(Int32.max))) }

  private static var limit: rlimit {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return limit
  }

  /// Raises the soft limit to the hard limit if it is below `count`.
  ///
  /// - Throws: `BenchFailure` if the hard limit is too low.
  static func raise(to count: Int) throws {
    var limit = limit
    guard limit.rlim_cur < count else { return }
    guard limit.rlim_max >= count else {
      throw BenchFailure("\(count) open files are needed, \(limit.rlim_max) are allowed")
    }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
