import Foundation

/// A folder of one's own under the system's temporary folder, with a HOME and XDG folders in it.
///
/// Its path is short, since a Unix socket's path has room for 108 bytes only.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    var template = Array("/tmp/rally-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ProcessFailure("mkdtemp", errno: errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    for name in ["home", "config", "data", "state", "cache", "run"] {
      try FileManager.default.createDirectory(
        atPath: file(name), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
  }

  deinit { remove() }

  /// Removes everything; also done when nobody holds the folder any more.
  public func remove() { try? FileManager.default.removeItem(atPath: path) }

  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The whole environment of a program that lives in this folder: nothing of the caller's but
  /// the search path.
  public var environment: [String: String] {
    [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "HOME": file("home"),
      "XDG_CONFIG_HOME": file("config"),
      "XDG_DATA_HOME": file("data"),
      "XDG_STATE_HOME": file("state"),
      "XDG_CACHE_HOME": file("cache"),
      "XDG_RUNTIME_DIR": file("run"),
      "TERM": "xterm-256color",
      "LANG": "C.UTF-8",
      // Work that is given to a network loop after its end is a crash instead of a line of text.
      "SWIFTNIO_STRICT": "1",
    ]
  }

  /// Permission bits of a file in this folder, or nil when there is none.
  public func permissions(of name: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file(name))
    return (attributes?[.posixPermissions] as? NSNumber)?.intValue
  }

  /// Every file and folder below, by its path in this folder.
  public var contents: [String] {
    (FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []).sorted()
  }
}
