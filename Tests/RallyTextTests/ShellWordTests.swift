import Foundation
import RallyText
import Testing

/// Words of printed commands, which a shell reads as they were meant.
@Suite struct ShellWordTests {
  @Test(arguments: ["Pixel", "/tmp/a.pmtiles", "38.7,-9.1", "Zürich", "ana@example.org"])
  func `a word without a meaning of its own stays as it is`(_ text: String) {
    #expect(text.shellWord == text)
  }

  @Test(arguments: [
    "Traccar Client", "", "it's", "$(id)", "a`b`", "~", "*", "a;b", "#1", "'", "a\nb", "!x", "-n x",
  ])
  func `a shell reads what was quoted as one word`(_ text: String) throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "printf '%s|' \(text.shellWord)"]
    let pipe = Pipe()
    shell.standardOutput = pipe
    try shell.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    shell.waitUntilExit()
    #expect(String(decoding: output, as: UTF8.self) == "\(text)|")
  }
}
