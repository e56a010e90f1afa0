import Synchronization
import Testing

@testable import RallyStorage

@Suite struct CommitHookTests {
  /// Calls that nest in each other end in a stack overflow after a quarter of a million commits.
  @Test func `the thousandth call needs no more of the stack than the first`() {
    let depths = Mutex<[UInt]>([])
    let hook = CommitHook()
    hook.set {
      var local = 0
      let address = withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
      depths.withLock { $0.append(address) }
    }
    for _ in 0..<1000 { hook.run() }
    let calls = depths.withLock { $0 }
    #expect(calls.count == 1000)
    #expect(Set(calls).count == 1)
  }
}
