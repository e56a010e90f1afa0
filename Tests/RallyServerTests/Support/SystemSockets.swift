import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import RallyTestSupport

/// A TCP socket on a free port of this machine that listens and is handed over.
final class ListeningSocket {
  let descriptor: Int32
  let port: Int

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port: in_port_t? = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name -> in_port_t? in
        guard bind(descriptor, name, size) == 0, listen(descriptor, 16) == 0,
          getsockname(descriptor, name, &size) == 0
        else { return nil }
        return UnsafeRawPointer(name).assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port
      }
    }
    guard let port else { throw ProcessFailure("no socket: errno \(errno)") }
    self.port = Int(in_port_t(bigEndian: port))
  }
}

/// What a service manager would receive on its socket.
final class DatagramInbox {
  private let descriptor: Int32
  private let path: String

  init(_ name: String) throws {
    path = name
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8) + [0]
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let status = withUnsafePointer(to: &address) { [descriptor] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    guard status == 0 else { throw ProcessFailure("no inbox: errno \(errno)") }
  }

  deinit {
    close(descriptor)
    if !path.hasPrefix("@") { unlink(path) }
  }

  /// The next message, if it has arrived.
  func next() -> String? {
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
  }
}

/// A request whose body comes in its own time.
enum SlowRequest {
  /// - Returns: The status of the answer.
  static func post(
    _ url: String, key: String, length: Int, body: AsyncStream<ByteBuffer>
  ) async throws -> Int {
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.headers.add(name: "apikey", value: key)
    request.headers.add(name: "content-type", value: "application/json")
    request.body = .stream(body, length: .known(Int64(length)))
    let response = try await HTTPClient.shared.execute(
      request, timeout: .init(PollingBackoff.limit))
    _ = try await response.body.collect(upTo: 1 << 20)
    return Int(response.status.code)
  }
}
