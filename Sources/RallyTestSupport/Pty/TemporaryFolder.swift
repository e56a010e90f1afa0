import Foundation
import Synchronization

/// A temporary folder with a HOME and XDG folders in it.
///
/// Its path is short, since a Unix socket path is limited to 108 bytes.
public final class TemporaryFolder: Sendable {
  public let path: String

  /// The paths of this process's folders. What is written after a folder was removed, such as a
  /// cache, makes it again; the end of the process removes it for good.
  private static let paths: Mutex<[String]> = {
    atexit { for path in TemporaryFolder.paths.withLock(\.self) { TemporaryFolder.remove(path) } }
    return Mutex([])
  }()

  /// - Throws: `ProcessFailure` or `CocoaError` if a folder cannot be created.
  public init() throws {
    var template = Array("/tmp/rally-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ProcessFailure("mkdtemp", errno: errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    Self.paths.withLock { $0.append(path) }
    for name in ["home", "config", "data", "state", "cache", "run"] {
      try FileManager.default.createDirectory(
        atPath: file(name), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
  }

  deinit { remove() }

  /// Removes the folder; also called when the object is released.
  public func remove() { Self.remove(path) }

  private static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The environment of a program that runs in this folder; inherits only the search path.
  public var environment: [String: String] {
    [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "HOME": file("home"),
      "XDG_CONFIG_HOME": file("config"),
      "XDG_DATA_HOME": file("data"),
      "XDG_STATE_HOME": file("state"),
      "XDG_CACHE_HOME": file("cache"),
      "XDG_RUNTIME_DIR": file("run"),
      // No test meets the services of the machine.
      "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(file("run/no-bus"))",
      "TERM": "xterm-256color",
      "LANG": "C.UTF-8",
      // A gpsd of this machine must not place the people of tests.
      "RALLY_GPSD": "",
      // Work that is submitted to an event loop after its shutdown crashes instead of printing a
      // warning.
      "SWIFTNIO_STRICT": "1",
    ]
  }

  /// The permission bits of a file in this folder; nil if it does not exist.
  public func permissions(of name: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file(name))
    return (attributes?[.posixPermissions] as? NSNumber)?.intValue
  }

  /// All files and folders in this folder, by relative path.
  public var contents: [String] {
    (FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []).sorted()
  }
}
