import Foundation

/// How many files and sockets the system lets this process have open.
enum OpenFiles {
  /// For the database, the listeners and what the runtime opens.
  static let ownUse = 100

  /// Asks for as many as are allowed, up to `wanted`, beside those for the server's own use.
  ///
  /// - Returns: How many connections there can be.
  static func room(for wanted: Int) -> Int {
    var limit = rlimit()
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(files, &limit) == 0 else { return wanted }
    let needed = rlim_t(wanted + ownUse)
    if limit.rlim_cur < needed {
      limit.rlim_cur = min(needed, limit.rlim_max)
      setrlimit(files, &limit)
      getrlimit(files, &limit)
    }
    return limit.rlim_cur >= needed ? wanted : max(1, Int(limit.rlim_cur) - ownUse)
  }
}
