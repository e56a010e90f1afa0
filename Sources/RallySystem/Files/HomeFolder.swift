import FoundationEssentials
import Glibc

/// The home folders of the people of this machine.
package enum HomeFolder {
  /// By `HOME`, as shells take it, else as the system knows it.
  package static var path: String {
    if let home = ProcessInfo.processInfo.environment["HOME"], home.hasPrefix("/") { return home }
    return FileManager.default.homeDirectoryForCurrentUser.path
  }

  /// Where a program of the person's runs: the home folder, or the root where that is not there.
  package static var workingDirectory: String { access(path, X_OK) == 0 ? path : "/" }

  /// `~/x` and `~ana/x` as a shell reads them; any other path as it is.
  package static func expanding(_ path: String) -> String {
    guard path.hasPrefix("~") else { return path }
    let name = path.dropFirst().prefix { $0 != "/" }
    let home =
      name.isEmpty
      ? Self.path : FileManager.default.homeDirectory(forUser: String(name))?.path
    return home.map { $0 + path.dropFirst(1 + name.count) } ?? path
  }
}
