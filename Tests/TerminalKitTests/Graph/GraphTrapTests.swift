import RallyTestSupport
import Testing

@testable import TerminalKit

private struct Counter: View {
  @State private var count = 0

  var body: some View { Text("\(count)").onAction("count") { count += 1 } }
}

/// Mounts the same value in one place or in two.
private struct Mounting: View {
  let counter = AnyView(Counter())
  let count: Int

  var body: some View {
    VStack { ForEach(Array(0..<count), id: \.self) { _ in counter } }
  }
}

/// Counts up while its body is read.
private struct Writing: View {
  @State private var count = 0

  var body: some View {
    count += 1
    return Text("\(count)")
  }
}

/// Moves the same value from one branch to the other.
private struct Moving: View {
  let counter = AnyView(Counter())
  @State private var isSecond = false

  var body: some View {
    VStack {
      if isSecond { HStack { counter } } else { counter }
    }
    .onAction("count") { isSecond.toggle() }
  }
}

@MainActor private func show(_ root: some View) -> Graph {
  let graph = Graph(size: Size(width: 20, height: 4), table: ActionTable([]), root: root)
  graph.update()
  return graph
}

/// Mistakes that debug builds trap.
@Suite @MainActor struct GraphTrapTests {
  @Test func `a view value that stands in two places traps`() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await MainActor.run { _ = show(Mounting(count: 2)) }
    }
    let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(said.contains("a view value was mounted twice"))
  }

  @Test func `a write to state while a body is read traps`() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      await MainActor.run { _ = show(Writing()) }
    }
    let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(said.contains("state was written while a body was read"))
  }

  @Test func `a view value that stands once, or moves, does not`() {
    let once = show(Mounting(count: 1))
    #expect(once.nodeCount > 0)
    let moving = show(Moving())
    moving.actions.perform("count")
    moving.update()
    #expect(moving.nodeCount > 0)
  }
}
