import Foundation
import RallyTestSupport
import Testing

@testable import RallyServer

/// Memory that a crowd occupied goes back to the system.
@Suite struct HeapTrimTests {
  /// Pages of memory that this process occupies.
  private static var pages: Int {
    let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return text?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  /// In a process of its own: what the other tests do would move the figure.
  @Test func `what is free goes back, also below what is still in use`() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let empty = HeapTrimTests.pages
      // Each is too small to be given back by itself.
      var blocks = (0..<40_000).map { _ in
        let block = UnsafeMutableRawPointer.allocate(byteCount: 2000, alignment: 16)
        return block.initializeMemory(as: UInt8.self, repeating: 1, count: 2000)
      }
      let full = HeapTrimTests.pages
      // The last one keeps the heap from becoming shorter.
      let last = blocks.removeLast()
      for block in blocks { block.deallocate() }
      HeapTrim().run()
      let deadline = ContinuousClock.now + PollingBackoff.limit
      while HeapTrimTests.pages > (empty + full) / 2 {
        guard ContinuousClock.now < deadline else { exit(1) }
        try await Task.sleep(for: .milliseconds(20))
      }
      last.deallocate()
      exit(0)
    }
  }
}
