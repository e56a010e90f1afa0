import Glibc
import RallyTestSupport
import Testing

@testable import RallySystem

struct SleepMonitorTests {
  private static let service = "org.freedesktop.login1"
  private static let path = "/org/freedesktop/login1"
  private static let manager = "org.freedesktop.login1.Manager"

  private func inhibitors(_ mocks: MockServices) async throws -> String {
    try await mocks.run(
      "[str(i[1]) for i in call('\(Self.service)', '\(Self.path)', '\(Self.manager)', "
        + "'ListInhibitors')]")
  }

  private func prepare(_ isSleep: Bool, _ mocks: MockServices) async throws {
    try await mocks.run(
      "call('\(Self.service)', '\(Self.path)', 'org.freedesktop.DBus.Mock', 'EmitSignal', "
        + "'\(Self.manager)', 'PrepareForSleep', 'b', [\(isSleep ? "True" : "False")])")
  }

  private func wait(for expected: String, _ mocks: MockServices) async throws {
    let patience = ContinuousClock.now + PollingBackoff.limit
    while try await inhibitors(mocks) != expected {
      try #require(ContinuousClock.now < patience)
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  @Test func `sleep waits until state is saved, also the next time`() async throws {
    let bus = try await PrivateBus()
    let mocks = try await MockServices(on: bus)
    let logind = try await mocks.start(
      template: "logind", name: Self.service, path: Self.path)
    let monitor = SleepMonitor(address: bus.address)
    var changes = monitor.changes().makeAsyncIterator()
    try await wait(for: "['Rally']", mocks)

    for _ in 1...2 {
      try await prepare(true, mocks)
      #expect(await changes.next() == .sleep)
      #expect(try await inhibitors(mocks) == "['Rally']")
      monitor.saved()
      try await wait(for: "[]", mocks)
      try await prepare(false, mocks)
      #expect(await changes.next() == .wake)
      try await wait(for: "['Rally']", mocks)
    }
    _ = logind
  }

  @Test func `a machine without logind is quiet, and one that gets it is followed`() async throws {
    let bus = try await PrivateBus()
    let mocks = try await MockServices(on: bus)
    let monitor = SleepMonitor(address: bus.address)
    var changes = monitor.changes().makeAsyncIterator()
    let logind = try await mocks.start(template: "logind", name: Self.service, path: Self.path)
    try await wait(for: "['Rally']", mocks)
    try await prepare(false, mocks)
    #expect(await changes.next() == .wake)
    _ = logind
  }

  @Test func `whoever stops listening does not delay sleep`() async throws {
    let bus = try await PrivateBus()
    let mocks = try await MockServices(on: bus)
    let logind = try await mocks.start(template: "logind", name: Self.service, path: Self.path)
    let monitor = SleepMonitor(address: bus.address)
    let listener = Task { for await _ in monitor.changes() {} }
    try await wait(for: "['Rally']", mocks)
    listener.cancel()
    try await wait(for: "[]", mocks)
    _ = logind
  }
}
