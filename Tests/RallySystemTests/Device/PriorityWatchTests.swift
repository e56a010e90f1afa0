import CNetlink
import Foundation
import Glibc
import Testing

/// Out-of-band data on a TCP connection is urgent news like that of sysfs, and can be made here.
struct PriorityWatchTests {
  private func isReadable(_ descriptor: Int32, withinMilliseconds wait: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, wait) == 1
  }

  private func connectedPair() throws -> (a: Int32, b: Int32) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let a = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = try #require(bytes.baseAddress).assumingMemoryBound(to: sockaddr.self)
      try #require(bind(listener, pointer, size) == 0)
      try #require(listen(listener, 1) == 0)
      try #require(getsockname(listener, pointer, &size) == 0)
      try #require(connect(a, pointer, size) == 0)
    }
    return (a, accept(listener, nil, nil))
  }

  @Test func `urgent news makes the watch readable until it is read and plain news does not`()
    throws
  {
    let (a, b) = try connectedPair()
    let watch = rally_priority_watch(b)
    defer { [a, b, watch].forEach { close($0) } }
    try #require(watch >= 0)

    #expect(send(a, "x", 1, 0) == 1)
    #expect(!isReadable(watch, withinMilliseconds: 50))
    #expect(send(a, "!", 1, Int32(MSG_OOB)) == 1)
    #expect(isReadable(watch, withinMilliseconds: 5000))

    var byte: UInt8 = 0
    #expect(recv(b, &byte, 1, Int32(MSG_OOB)) == 1)
    #expect(!isReadable(watch, withinMilliseconds: 50))
  }

  @Test func `a plain file cannot have urgent news`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "rally-plain-\(UUID())")
    try Data("balanced".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let descriptor = open(file.path, O_RDONLY)
    defer { close(descriptor) }
    #expect(rally_priority_watch(descriptor) == -EPERM)
  }
}
