import Foundation

/// The program under test: the `rally` binary built with the tests.
public enum RallyBinary {
  /// Its path; nil if it was not built.
  public static let path: String? = {
    let starts = [
      Bundle.main.executableURL?.resolvingSymlinksInPath(),
      CommandLine.arguments.first.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath() },
    ]
    for start in starts.compactMap(\.self) {
      var folder = start.deletingLastPathComponent()
      for _ in 0..<4 {
        let candidate = folder.appendingPathComponent("rally").path
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder),
          !isFolder.boolValue, FileManager.default.isExecutableFile(atPath: candidate)
        {
          return candidate
        }
        folder.deleteLastPathComponent()
      }
    }
    return nil
  }()

  /// The path of the binary.
  ///
  /// - Throws: `ProcessFailure` if it was not built.
  public static func required() throws -> String {
    guard let path else { throw ProcessFailure("rally was not built beside the tests") }
    return path
  }
}
