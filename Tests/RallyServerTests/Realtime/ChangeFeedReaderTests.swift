import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

@Suite(.everyEngine) struct ChangeFeedReaderTests {
  @Test func `where there is no room to write joins are answered, and shares end once there is`()
    async throws
  {
    let start = WireTime.now
    let monitor = StatementMonitor()
    let world = try await ServerWorld(members: 2, at: start, monitor: monitor)
    try await world.befriend(0, 1)
    try await world.share(.precise, of: 0, with: 1, until: start.advanced(by: .seconds(3600)))
    try await world.call(PublishLocations(locations: [.sample(at: start)]), as: 0)
    try await world.turn()
    #expect(try await world.stored(of: 0) != nil)
    world.now = start.advanced(by: .seconds(7200))
    monitor.refusesWrites = true
    _ = await world.frames(for: 1)
    await world.listen(1)
    await #expect(throws: StorageFailure.self) { try await world.turn() }
    #expect(await world.frames(for: 1).contains { $0.contains("phx_reply") })

    monitor.refusesWrites = false
    try await world.turn()
    #expect(try await world.stored(of: 0) == nil)
  }
}
