import Foundation
import RallyWire
import Testing

@testable import RallyClient

@Suite struct ServerExaminationTests {
  private let time = WireTime(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT") ?? .now

  private func examine(_ date: String?, body: String = "{}") -> ServerExamination {
    ServerExamination(
      ServerAnswer(
        HTTPAnswer(
          status: 200, headers: date.map { ["date": $0] } ?? [:], body: Data(body.utf8)),
        isMarked: true),
      elapsed: .milliseconds(40), askedAt: time)
  }

  @Test func `the skew is that of the middle of the question`() {
    #expect(examine("Sun, 06 Nov 1994 08:49:37 GMT").skew == 0)
    #expect(examine("Sun, 06 Nov 1994 08:59:37 GMT").skew == 600)
    #expect(examine("Sun, 06 Nov 1994 08:48:36 GMT").skew == -61)
    #expect(examine(nil).skew == nil)
    #expect(examine("soon").skew == nil)
    #expect(examine(nil).milliseconds == 40)
  }

  @Test func `the server says what it is, cleaned`() {
    let named = examine(nil, body: #"{"name":"GoTrue","version":"2.1\u001b[31m"}"#)
    #expect(named.version == "GoTrue 2.1[31m")
    #expect(examine(nil).version == nil)
    #expect(examine(nil, body: "<html>").version == nil)
  }
}
