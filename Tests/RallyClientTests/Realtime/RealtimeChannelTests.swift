import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyClient

@Suite struct RealtimeChannelTests {
  @Test func `the events of a channel keep their order, and presence is left out`() async {
    let (channel, continuation) = AsyncStream.makeStream(of: ChannelEvent.self)
    let change = ChangeEvent(
      schema: "public", table: "missions", type: .insert, commitTimestamp: Samples.time.zulu,
      columns: [], record: [:], oldRecord: nil)
    let events: [ChannelEvent] = [
      .live, .presenceState([:]), .change(change), .gap, .presenceDiff([:]), .live,
    ]
    for event in events { continuation.yield(event) }
    continuation.finish()
    var read: [RealtimeUpdate<String>] = []
    for await event in channel.events(\.table) { read.append(event) }
    #expect(read == [.live, .changed("missions"), .interrupted, .live])
  }
}
