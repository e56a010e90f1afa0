import Foundation

/// Calls `body` with a null-terminated array of C strings, as `execve` takes it.
func withCStrings<Result>(
  _ strings: [String],
  _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Result
) rethrows -> Result {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return try body(copies + [nil])
}

/// Finds a program on `path` as a shell does; a name with a slash is returned unchanged.
///
/// - Throws: `ProcessFailure` if there is no such program.
public func program(_ name: String, path: String?) throws -> String {
  if name.contains("/") { return name }
  for folder in (path ?? "/usr/bin:/bin").split(separator: ":") {
    let candidate = "\(folder)/\(name)"
    if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
  }
  throw ProcessFailure("no program named \(name)")
}
