import Glibc

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
