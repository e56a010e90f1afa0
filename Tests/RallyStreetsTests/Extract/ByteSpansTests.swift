import Testing

@testable import RallyStreets

@Suite struct ByteSpansTests {
  @Test func `needed bytes are written one after another, whatever was asked for`() {
    let spans = ByteSpans([30..<40, 10..<20, 15..<22, 50..<50])
    #expect(spans.ranges == [10..<22, 30..<40])
    #expect(spans.count == 22)
    #expect(spans.position(of: 12) == 2)
    #expect(spans.position(of: 30) == 12)
    #expect(spans.offset(at: 11) == 21)
    #expect(spans.offset(at: 12) == 30)
    #expect(spans.offset(at: 22) == nil)
    #expect(spans.wanted(of: Array(5..<35), at: 5) == Array(10..<22) + Array(30..<35))
  }

  @Test func `the smallest gaps are fetched too, within the surplus`() {
    let spans = ByteSpans([0..<100, 103..<200, 210..<300, 304..<400])
    #expect(spans.requests(from: 0, surplus: 0, longest: 1000).count == 4)
    #expect(
      spans.requests(from: 0, surplus: 7, longest: 1000) == [0..<200, 210..<400])
    #expect(spans.requests(from: 0, surplus: 17, longest: 1000) == [0..<400])
    #expect(spans.requests(from: 0, surplus: 17, longest: 150) == [0..<150, 150..<300, 300..<400])
    #expect(spans.requests(from: 150, surplus: 7, longest: 1000) == [150..<200, 210..<400])
    #expect(spans.requests(from: 250, surplus: 7, longest: 1000) == [250..<400])
  }

  @Test func `requests cover every needed byte once, in order`() {
    var noise = ArchiveNoise(seed: 4)
    for _ in 0..<200 {
      let ranges = (0..<noise.below(20)).map { _ -> Range<UInt64> in
        let start = UInt64(noise.below(1000))
        return start..<start + UInt64(noise.below(60))
      }
      let spans = ByteSpans(ranges)
      let position = UInt64(noise.below(Int(spans.count) + 1))
      guard let start = spans.offset(at: position) else { continue }
      let surplus = UInt64(noise.below(100))
      let requests = spans.requests(
        from: start, surplus: surplus, longest: UInt64(1 + noise.below(80)))
      let content = (0..<1100).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      var written: [UInt8] = []
      for request in requests {
        let bytes = Array(content[Int(request.lowerBound)..<Int(request.upperBound)])
        written += spans.wanted(of: bytes, at: request.lowerBound)
      }
      let all = spans.ranges.flatMap { content[Int($0.lowerBound)..<Int($0.upperBound)] }
      #expect(written == Array(all[Int(position)...]))
      let fetched = requests.reduce(0) { $0 + UInt64($1.count) }
      #expect(fetched <= spans.count - position + surplus)
    }
  }
}
