import Foundation
import RallyTestSupport
import RallyText
import RallyWire

/// A hook that writes down what it is told, and a configuration that runs it.
struct HookRecorder: Sendable {
  /// The configuration's file.
  let configuration: String
  private let heard: String

  /// - Parameter keys: The hooks that run it: `on_request`.
  init(for keys: String..., in home: Home) throws {
    heard = home.folder.file("heard")
    configuration = home.folder.file("config.toml")
    let hook = home.folder.file("hook")
    try Data(
      "#!/bin/sh\numask > '\(heard).mask'\npwd > '\(heard).folder'\ncat >> '\(heard)'\n".utf8
    ).write(to: URL(filePath: hook))
    chmod(hook, 0o700)
    try configure("[hooks]\n" + keys.map { "\($0) = [\"\(hook)\"]\n" }.joined())
  }

  func configure(_ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: configuration))
  }

  /// How many events it was told.
  var count: Int { lines(of: heard).count }

  /// The umask that it ran with.
  var mask: String? { lines(of: heard + ".mask").first }
  /// The folder that it ran in.
  var workingDirectory: String? { lines(of: heard + ".folder").first }

  func event(_ number: Int) throws -> JSONValue {
    try WireJSON.decode(JSONValue.self, from: Data(lines(of: heard)[number].utf8))
  }
}

/// The lines of a file; none without one.
func lines(of path: String) -> [String] {
  ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n")
    .map(String.init)
}
