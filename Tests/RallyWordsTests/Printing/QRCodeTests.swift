import RallyTestSupport
import TerminalKit
import Testing

@testable import RallyWords

struct QRCodeTests {
  @Test(arguments: [
    "https://rally.example.org/phone/traccar?id=abc",
    String(repeating: "owntracks:///x", count: 30),
  ])
  func `a reader gets the text of a code back`(text: String) async throws {
    let code = try QRCode(text)
    #expect(try await QRCodeReader.text(in: code.lines) == text)
  }

  @Test func `a code has light modules all around and fits the cells that it names`() throws {
    let code = try QRCode("rally")
    // The smallest code has 21 modules (ISO/IEC 18004, version 1).
    #expect(code.size == Size(width: 29, height: 15))
    #expect(code.lines.count == 15)
    #expect(
      code.lines.allSatisfy { $0.count == 29 && $0.hasPrefix("    ") && $0.hasSuffix("    ") })
    #expect(code.lines.prefix(2).allSatisfy { $0.allSatisfy { $0 == " " } })
  }

  @Test func `what no code can hold is refused`() {
    #expect(throws: QRCode.Problem.tooLong) { try QRCode(String(repeating: "x", count: 3000)) }
    #expect(throws: QRCode.Problem.tooLong) { try QRCode("") }
  }

  @Test func `a printed code is black on white, and leaves the terminal's colours behind it`()
    throws
  {
    let lines = try QRCode("rally").printedLines
    #expect(lines.allSatisfy { $0.hasPrefix("\u{1B}[0;38;5;16;48;5;231m") })
    #expect(lines.allSatisfy { $0.hasSuffix("\u{1B}[m") })
  }
}
