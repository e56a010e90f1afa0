import RallyTestSupport
import Testing

@testable import RallySystem

/// Work that is wanted often runs once at a time.
@MainActor
@Suite struct JoinedRunsTests {
  @Test func `of what comes while one runs only the last runs, and then the next at once`() async {
    let runs = JoinedRuns()
    let (gate, release) = AsyncStream.makeStream(of: Void.self)
    var ran: [Int] = []
    runs.run {
      ran.append(0)
      for await _ in gate { break }
    }
    _ = await eventually { ran == [0] }
    for number in 1...200 { runs.run { ran.append(number) } }
    #expect(ran == [0])
    release.yield()
    #expect(await eventually { ran == [0, 200] })
    runs.run { ran.append(201) }
    #expect(await eventually { ran == [0, 200, 201] })
  }
}
