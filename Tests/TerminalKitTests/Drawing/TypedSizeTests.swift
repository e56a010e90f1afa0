import Testing

@testable import TerminalKit

struct TypedSizeTests {
  @Test(arguments: ["100x30", "100X30", "100×30"])
  func `columns come before rows`(_ text: String) {
    #expect(Size(typed: text) == Size(width: 100, height: 30))
  }

  @Test func `the smallest and the largest are one cell and a thousand a side`() {
    #expect(Size(typed: "1x1") == Size(width: 1, height: 1))
    #expect(Size(typed: "1000x1000") == Size(width: 1000, height: 1000))
  }

  @Test(arguments: [
    "", "100", "x", "100x", "x30", "100x30x2", "0x30", "100x0", "-1x30", "1001x30", "100x1001",
    "100 x 30", "axb", "9999999999999999999x1",
  ])
  func `anything else is no size`(_ text: String) {
    #expect(Size(typed: text) == nil)
  }
}
