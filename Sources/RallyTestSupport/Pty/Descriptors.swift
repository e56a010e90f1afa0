import Foundation

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
