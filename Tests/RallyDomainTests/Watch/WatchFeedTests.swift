import RallyTestSupport
import RallyWatch
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct WatchFeedTests {
  @Test(arguments: [
    (SharingMode.precise, 30.0), (.approximate1km, 300.0), (.approximate10km, 300.0),
  ])
  func `a message leaves at the beat, a tenth more or less, and never at the same time`(
    _ mode: SharingMode, _ beat: Double
  ) {
    let address = WatchAddress.random()
    let record = WatchLinkRecord(
      linkID: address.id, mode: mode, until: Samples.time.advanced(by: .seconds(3600)),
      createdAt: Samples.time, watchers: 0)
    var feed = WatchFeed(address, record, name: "Ana", server: "https://rally.example.test")
    let waits = (0..<200).map { _ in
      let now = ContinuousClock.now
      feed.setNext()
      return (feed.next - now) / .seconds(1)
    }
    // The clock goes on between the two readings.
    #expect(waits.allSatisfy { (beat * 0.9...beat * 1.1 + 1).contains($0) })
    #expect((waits.max() ?? 0) - (waits.min() ?? 0) > beat * 0.1)
  }
}
