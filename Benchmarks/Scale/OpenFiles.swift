import Foundation

/// How many files and sockets this process, and those it starts, may have open.
enum OpenFiles {
  /// - Throws: `BenchFailure` when the system does not allow as many.
  static func raise(to count: Int) throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_cur < count else { return }
    guard limit.rlim_max >= count else {
      throw BenchFailure("\(count) open files are needed, \(limit.rlim_max) are allowed")
    }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
