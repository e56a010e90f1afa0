import RallyWire
import Testing

@Suite struct HTTPDateTests {
  @Test func `a time is written as HTTP has it, and read again`() throws {
    let time = try #require(WireTime(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT"))
    #expect(time == WireTime(microseconds: 784_111_777_000_000))
    #expect(time.httpDate == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(time.advanced(by: .milliseconds(999)).httpDate == time.httpDate)
  }

  @Test(arguments: [
    "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 +0100", "Sun, 99 Nov 1994 1:2 GMT",
  ])
  func `another form is none`(text: String) { #expect(WireTime(httpDate: text) == nil) }
}
