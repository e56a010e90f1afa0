import Dispatch
import RuntimeHooks
import Synchronization
import Testing

/// Each promise that nobody made, by name: a failure after an upgrade of the toolchain says which of
/// them is broken, and docs/toolchain.md what to do without it.
@Suite struct RuntimeHooksTests {
  private class Wrapper {}
  private final class Special: Wrapper {}

  private struct Fields {
    var flag = true
    var first = Wrapper()
    var number: Int32 = 1
    var text = "a"
    var second = Special()
  }

  @Test func `_forEachField gives the places of properties`() {
    #expect(
      StoredProperties.offsets(in: Fields.self) { $0 is Wrapper.Type }
        == [MemoryLayout<Fields>.offset(of: \.first), MemoryLayout<Fields>.offset(of: \.second)])
    #expect(StoredProperties.offsets(in: Int.self) { _ in true }.count == 1)
  }

  @Test func `a job of the hook is an UnownedJob, which is one pointer`() {
    #expect(MemoryLayout<UnownedJob>.size == MemoryLayout<UnsafeRawPointer>.size)
  }

  private final class Queue: SerialExecutor {
    let queue = DispatchQueue(label: "jobs")
    let count = Atomic(0)

    func enqueue(_ job: UnownedJob) {
      count.add(1, ordering: .relaxed)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  /// In a process of its own, since the hook stays.
  @Test func `swift_task_enqueueGlobal_hook gets every task`() async {
    await #expect(processExitsWith: .success) {
      let queue = Queue()
      let isInstalled = await GlobalExecutor.install { queue.enqueue($0.job) }
      let before = queue.count.load(ordering: .relaxed)
      let sum = await withTaskGroup(of: Int.self) { group in
        for number in 1...4 { group.addTask { number } }
        return await group.reduce(0, +)
      }
      precondition(isInstalled && sum == 10)
      precondition(queue.count.load(ordering: .relaxed) - before >= 4)
    }
  }
}
