import FoundationEssentials
import Glibc
import RallyDomain
import RallySystem

/// A file or folder with its permissions.
struct DoctorFile: Encodable {
  var name: String
  var path: String
  var exists: Bool
  /// Octal, such as `0700`; nil if it does not exist.
  var mode: String?

  private let bits: mode_t
  private let isOwn: Bool
  /// Whether it must be readable by its owner only.
  private let isPrivate: Bool
  private let isFolder: Bool

  enum CodingKeys: String, CodingKey { case name, path, exists, mode }

  init(_ name: String, _ path: String, isPrivate: Bool) {
    self.name = name
    self.path = path
    self.isPrivate = isPrivate
    var found = stat()
    exists = stat(path, &found) == 0
    bits = found.st_mode & 0o7777
    isFolder = found.st_mode & S_IFMT == S_IFDIR
    isOwn = !exists || found.st_uid == getuid()
    let digits = String(bits, radix: 8)
    mode = exists ? String(repeating: "0", count: max(0, 4 - digits.count)) + digits : nil
  }

  var row: [String] { [name, "\(path)\(mode.map { ", \($0)" } ?? ", not there yet")"] }

  var problems: [DoctorProblem] {
    guard exists else { return [] }
    if !isOwn {
      return [
        DoctorProblem(
          name, "\(path) belongs to another user.",
          "Give it back with chown, or choose another place with --data.")
      ]
    }
    var problems: [DoctorProblem] = []
    if isPrivate, bits & 0o077 != 0 {
      problems.append(
        DoctorProblem(
          name, "Others may look into \(path) (\(mode ?? "")).",
          "chmod \(isFolder ? "700" : "600") '\(path)'"))
    }
    if access(path, W_OK) != 0 {
      problems.append(
        DoctorProblem(
          name, "\(path) cannot be written (\(mode ?? "")).",
          "chmod u+rw\(isFolder ? "x" : "") '\(path)'"))
    }
    return problems
  }
}

extension DoctorFile {
  /// The folders that Rally uses.
  static func folders(_ setup: Setup) -> [DoctorFile] {
    let folders = setup.folders
    return [
      DoctorFile("configuration", setup.configurationService.file, isPrivate: false),
      setup.configurationService.settingsFile.map {
        DoctorFile("settings", $0, isPrivate: true)
      },
      DoctorFile("data", folders.data, isPrivate: true),
      DoctorFile("state", folders.profileState, isPrivate: true),
      DoctorFile("cache", folders.profileCache, isPrivate: true),
      DoctorFile("log", "\(folders.profileState)/rally.log", isPrivate: true),
      DoctorFile("runtime", folders.runtime, isPrivate: true),
    ].compactMap(\.self)
  }

  /// The files with secrets; their contents are not read here.
  static func secrets(_ setup: Setup) -> [DoctorFile] {
    let folder = "\(setup.folders.profileState)/sessions"
    let sessions = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .filter { $0.hasSuffix(".json") }.sorted()
      .map { DoctorFile("session", "\(folder)/\($0)", isPrivate: true) }
    let key = setup.configuration.serverKeyFile.map {
      DoctorFile("server key", $0, isPrivate: true)
    }
    return sessions + (key.map { [$0] } ?? [])
  }
}
