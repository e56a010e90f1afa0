import Foundation

/// Reads QR codes that are drawn in half blocks, with zbarimg, as a phone reads them.
public enum QRCodeReader {
  /// Pixels of a module's side.
  private static let scale = 4

  /// The text of the code in a picture.
  ///
  /// - Parameter lines: Of `█`, `▀`, `▄` and blanks, dark on light; other lines of a screen around
  ///   the code are left out by the caller.
  /// - Throws: `ProcessFailure` if zbarimg is missing or finds no code.
  public static func text(in lines: [String]) async throws -> String {
    let folder = try TemporaryFolder()
    let path = folder.file("code.pgm")
    try bitmap(lines).write(to: URL(fileURLWithPath: path))
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/zbarimg") else {
      throw ProcessFailure("zbarimg is missing; on Debian: apt-get install zbar-tools")
    }
    let run = try await CommandRun.of(
      "zbarimg", ["--quiet", "--raw", path], environment: folder.environment)
    guard run.succeeded else { throw ProcessFailure(run.description) }
    return run.output.trimmingCharacters(in: .newlines)
  }

  /// A grey map (PGM, "P5").
  private static func bitmap(_ lines: [String]) -> Data {
    // The light margin, which a screen's lines have lost at their ends.
    let lines = ["", ""] + lines + ["", ""]
    let width = (lines.map(\.count).max() ?? 0) + 4
    var pixels = Data("P5 \(width * scale) \(2 * lines.count * scale) 255\n".utf8)
    for line in lines {
      let cells = Array(line) + Array(repeating: " ", count: width - line.count)
      for dark in [Set<Character>(["█", "▀"]), ["█", "▄"]] {
        let row = cells.flatMap { cell in
          [UInt8](repeating: dark.contains(cell) ? 0 : 255, count: scale)
        }
        for _ in 0..<scale { pixels.append(contentsOf: row) }
      }
    }
    return pixels
  }
}
