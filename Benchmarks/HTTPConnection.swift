import Foundation
import RallyClient
import RallyTestSupport

/// One keep-alive HTTP connection to a server on this machine, used by one thread at a time.
///
/// Plain sockets, so that the measured time ends when the response is read.
final class HTTPConnection {
  struct Answer {
    var status: Int
    var body: Data
  }

  private let port: UInt16
  private let key: String
  private var socketHandle: Int32 = -1
  var token: String?
  /// The whole value of `Authorization`, instead of the token.
  var authorization: String?

  init(port: UInt16, key: String) throws {
    self.port = port
    self.key = key
    try open()
  }

  deinit { close(socketHandle) }

  private func open() throws {
    if socketHandle >= 0 { close(socketHandle) }
    socketHandle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socketHandle, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw BenchFailure("no server on port \(port)") }
    var yes: Int32 = 1
    setsockopt(
      socketHandle, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Whether the server has closed a connection that was idle.
  private var isStale: Bool {
    var watched = pollfd(fd: socketHandle, events: Int16(POLLIN), revents: 0)
    return poll(&watched, 1, 0) > 0
  }

  func post(_ path: String, _ body: Data) throws -> Answer {
    if isStale { try open() }
    do {
      return try send("POST", path, body)
    } catch is ClosedBeforeAnswer {
      // The server may close a connection just as it is reused; retry once, as all clients do.
      try open()
      return try send("POST", path, body)
    }
  }

  private struct ClosedBeforeAnswer: Error {}

  /// Sends one request, once, and waits for its answer.
  func send(_ method: String, _ path: String, _ body: Data) throws -> Answer {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\napikey: \(key)\r\n"
    head +=
      "Authorization: \(authorization ?? "Bearer \(token ?? key)")\r\nContent-Type: application/json\r\n"
    head += "Content-Length: \(body.count)\r\n\r\n"
    var request = Array(head.utf8)[...]
    request += Array(body)
    while !request.isEmpty {
      let count = request.withUnsafeBytes { write(socketHandle, $0.baseAddress, $0.count) }
      guard count > 0 else { throw ClosedBeforeAnswer() }
      request = request.dropFirst(count)
    }
    return try readAnswer(to: path)
  }

  private func readAnswer(to path: String) throws -> Answer {
    var bytes = Data()
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let separator = Data("\r\n\r\n".utf8)
    while true {
      if let end = bytes.range(of: separator) {
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
        let lines = head.split(separator: "\r\n")
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let length =
          lines.first { $0.hasPrefix("content-length:") }
          .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
        if bytes.count >= end.upperBound + length {
          return Answer(status: status, body: bytes[end.upperBound..<end.upperBound + length])
        }
      }
      let count = read(socketHandle, &buffer, buffer.count)
      guard count > 0 else {
        if bytes.isEmpty { throw ClosedBeforeAnswer() }
        throw BenchFailure("\(path): the connection broke")
      }
      bytes.append(contentsOf: buffer[..<count])
    }
  }
}

struct BenchFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
