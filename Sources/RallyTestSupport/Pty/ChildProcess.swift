import CPtyHolder
import Foundation

/// How a process ended, as the kernel reports it.
public enum ProcessEnd: Hashable, Sendable, CustomStringConvertible {
  case exited(Int32)
  case signalled(Int32)

  /// - Parameter waitStatus: The status from `waitpid`.
  /// - Returns: nil while the process runs.
  init?(waitStatus: Int32) {
    if rally_pty_exited(waitStatus) != 0 {
      self = .exited(rally_pty_exit_code(waitStatus))
    } else if rally_pty_signalled(waitStatus) != 0 {
      self = .signalled(rally_pty_signal(waitStatus))
    } else {
      return nil
    }
  }

  public var description: String {
    switch self {
    case .exited(let code): "exited with \(code)"
    case .signalled(let signal): "ended by signal \(signal)"
    }
  }
}

/// An error of a program under test.
public struct ProcessFailure: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }

  init(_ what: String, errno code: Int32) {
    self.init("\(what): \(String(cString: strerror(code)))")
  }
}

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

/// Two ends of a pipe, both closed on exec.
struct PipeEnds {
  let reading: Int32
  let writing: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw ProcessFailure("pipe", errno: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }
}

/// Reads once; an empty result means end of file or an error.
func readOnce(_ fd: Int32, into buffer: inout [UInt8]) -> ArraySlice<UInt8> {
  while true {
    let count = read(fd, &buffer, buffer.count)
    if count > 0 { return buffer[..<count] }
    if count == 0 || errno != EINTR { return [] }
  }
}

/// Writes all bytes; returns false if the other end is closed.
@discardableResult
func writeAll(_ fd: Int32, _ bytes: some Sequence<UInt8>) -> Bool {
  var rest = Array(bytes)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(fd, $0.baseAddress, $0.count) }
    if count > 0 {
      rest = rest.dropFirst(count)
    } else if errno != EINTR {
      return false
    }
  }
  return true
}

private let brokenPipesIgnored: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

/// Ignores SIGPIPE, so that writing to a program that has ended does not end the tests.
func ignoreBrokenPipes() { brokenPipesIgnored }
