import FoundationEssentials
import Glibc
import RallyText

/// Files whose place the person chose: who else may read them is decided by the umask.
package enum ChosenFiles {
  /// Writes to what a path names.
  ///
  /// A file is replaced as a whole, also at the end of links; the links stay. A pipe or a device is
  /// written to and stays what it is: replacing it would take it from all other programs.
  package static func write(_ data: Data, to path: String) throws(FileError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return try PrivateFiles.write(data, to: path, mode: 0o666)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return try send(data, to: path) }
    guard let file = realpath(path, nil) else { throw FileError(path) }
    defer { free(file) }
    try PrivateFiles.write(data, to: String(cString: file), mode: status.st_mode & 0o777)
  }

  /// Creates the first of these files that does not exist; no file is replaced.
  ///
  /// - Returns: Its path.
  package static func create(
    _ data: Data, at paths: some Sequence<String>
  ) throws(FileError) -> String {
    var last = ""
    for path in paths {
      if try PrivateFiles.create(data, at: path, mode: 0o666) { return path }
      last = path
    }
    throw FileError(last, POSIXError(.EEXIST))
  }

  private static func send(_ data: Data, to path: String) throws(FileError) {
    let descriptor = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(path) }
    defer { close(descriptor) }
    do {
      try PrivateFiles.writeAll(data, to: descriptor)
    } catch {
      throw FileError(path, error)
    }
  }
}
