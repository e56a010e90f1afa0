import CServerProcess
import Dispatch
import Foundation
import Glibc
import RallyStorage
import Synchronization

/// systemd's socket activation and notifications, without its library
/// (https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html and sd_notify.html).
public struct ServiceManager: Sendable {
  private static let firstDescriptor: Int32 = 3

  /// Listening sockets that systemd passed to this process.
  public let sockets: [Int32]
  private let notices: String?

  /// - Parameters:
  ///   - environment: `LISTEN_PID` and `LISTEN_FDS` only count if the first is `pid`: children of a
  ///     service inherit the variables without the sockets.
  public init(
    environment: [String: String] = ProcessInfo.processInfo.environment, pid: pid_t = getpid()
  ) {
    let count = environment["LISTEN_FDS"].flatMap(Int32.init) ?? 0
    let isForUs = environment["LISTEN_PID"].flatMap(pid_t.init) == pid
    sockets =
      isForUs && (1...64).contains(count)
      ? (ServiceManager.firstDescriptor..<ServiceManager.firstDescriptor + count)
        .filter(ServiceManager.isListening) : []
    notices = environment["NOTIFY_SOCKET"]
    // Children must not inherit the variables.
    for socket in sockets { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }
  }

  private static func isListening(_ descriptor: Int32) -> Bool {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value != 0
  }

  /// The IP addresses that the sockets listen on; Unix sockets have none.
  public var hosts: [String] { sockets.compactMap(ServiceManager.host) }

  private static func host(of descriptor: Int32) -> String? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var text = [CChar](repeating: 0, count: 128)
    let status = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name -> Int32 in
        guard getsockname(descriptor, name, &size) == 0,
          [AF_INET, AF_INET6].contains(Int32(name.pointee.sa_family))
        else { return -1 }
        return getnameinfo(name, size, &text, socklen_t(text.count), nil, 0, Int32(NI_NUMERICHOST))
      }
    }
    guard status == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  // MARK: - Notices

  public func isReady(_ status: String) { send("READY=1\nSTATUS=\(status)") }

  public func isStopping() { send("STOPPING=1\nSTATUS=Finishing what was begun") }

  private func send(_ text: String) {
    guard let notices, notices.hasPrefix("/") || notices.hasPrefix("@") else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // An abstract name begins with a zero byte.
    let bytes = notices.hasPrefix("@") ? [0] + notices.utf8.dropFirst() : Array(notices.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let isAbstract = notices.hasPrefix("@")
    let length = socklen_t(
      MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map {
        $0 + bytes.count + (isAbstract ? 0 : 1)
      }
        ?? 0)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let message = Array(text.utf8)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        // Errors are ignored: notifications are optional.
        _ = sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), name, length)
      }
    }
  }
}

/// Restricts this process as far as the kernel allows: no new privileges, and no writing outside
/// its folders.
public enum ServerSandbox {
  private static let given = Mutex<[String]>([])

  /// The active restrictions, for the log; empty before `enter`.
  public static var dropped: [String] { given.withLock { $0 } }

  /// Call it on the main thread before other threads start: threads inherit restrictions from the
  /// thread that starts them.
  ///
  /// - Parameters:
  ///   - folders: The folders that stay writable. Missing ones are created with mode 0700; if one
  ///     cannot be created, nothing is restricted.
  ///   - sockets: A folder below which sockets can be made, in folders that are made later; nil for
  ///     none.
  public static func enter(writingIn folders: [String], sockets: String? = nil) {
    guard rally_process_no_new_privileges() == 0 else { return }
    given.withLock { $0.append("new privileges") }
    for folder in folders where access(folder, F_OK) != 0 { try? DataFolder.makePrivate(folder) }
    let paths = folders.map { strdup($0) }
    defer { for path in paths { free(path) } }
    let isRestricted =
      rally_process_restrict_writes(paths.map { UnsafePointer($0) }, paths.count, sockets) == 0
    guard isRestricted else { return }
    given.withLock { $0.append("writing outside of \(folders.joined(separator: " and "))") }
    // The folder for SQLite's temporary files, since its default is no longer writable.
    if let folder = folders.first { setenv("SQLITE_TMPDIR", folder, 1) }
  }
}

/// Returns free heap memory to the system, some time after much of it was freed.
///
/// The allocator would otherwise keep it for good.
final class HeapTrim: Sendable {
  /// Several sockets often close together; one pass is enough.
  private static let delay = DispatchTimeInterval.seconds(1)

  private let isDue = Mutex(false)

  func run() {
    let isNew = isDue.withLock { isDue in
      defer { isDue = true }
      return !isDue
    }
    guard isNew else { return }
    DispatchQueue.timers.asyncAfter(deadline: .now() + HeapTrim.delay) { [self] in
      isDue.withLock { $0 = false }
      rally_process_trim_heap()
    }
  }
}
