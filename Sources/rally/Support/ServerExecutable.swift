import Glibc
import RallyCommand

/// The program `rally-server`: `rally serve` becomes it, the embedded server and the demo run in it.
enum ServerExecutable {
  /// Where it can be: beside this program as in a build, or where it is installed.
  private static let places: [String] = {
    let folder = parent(of: Setup.executable)
    return ["\(folder)/rally-server", installed("libexec/rally/rally-server")]
  }()

  /// Where something lies that is installed with this program, which is in `bin`.
  static func installed(_ path: String) -> String {
    "\(parent(of: parent(of: Setup.executable)))/\(path)"
  }

  /// Its path; nil if it is missing. Looked up once: after an upgrade a running client no longer
  /// finds its own path, but the new server has the same one.
  static let path: String? = places.first { access($0, X_OK) == 0 }

  /// Its path, or where it should be.
  static var expectedPath: String { path ?? places[0] }

  /// What to say if it is missing.
  static var missing: VerbFailure {
    VerbFailure(
      .failed, "The server's program was not found: neither \(places.joined(separator: " nor ")).",
      advice: "Install Rally again: `make install` puts both of its programs in place.")
  }

  /// Replaces this process by the server, which reads the same arguments. Process id, open files,
  /// working directory and environment stay as they are.
  ///
  /// - Parameter arguments: What was typed after the program's name.
  /// - Throws: `VerbFailure` if the program is missing or cannot be started.
  static func replaceProcess(_ arguments: [String]) throws(VerbFailure) -> Never {
    guard let path else { throw missing }
    var pointers = [CommandLine.unsafeArgv[0]] + arguments.map { strdup($0) } + [nil]
    execv(path, &pointers)
    throw VerbFailure(
      .failed, "\(path) could not be started: \(String(cString: strerror(errno))).",
      advice: missing.advice)
  }

  private static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }
}

/// Descriptions of terminals that lie beside the program: the relocatable archive brings those of
/// the usual ones to machines that have none.
enum BundledTerminfo {
  /// Lets ncurses look there after the system's own places, where the program brings any.
  ///
  /// Called before the first thread: it changes `TERMINFO_DIRS`, whose empty entry stands for the
  /// places that ncurses was built with. Source: terminfo(5).
  static func offer() {
    let folder = ServerExecutable.installed("share/rally/terminfo")
    guard access(folder, R_OK | X_OK) == 0 else { return }
    let places = getenv("TERMINFO_DIRS").map { String(cString: $0) } ?? ""
    setenv("TERMINFO_DIRS", "\(places):\(folder)", 1)
  }
}
