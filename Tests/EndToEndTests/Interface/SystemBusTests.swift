import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// The services of a desktop, on a private bus in the place of the system bus.
  @Suite struct SystemBusTests {
    private static let power = (
      name: "org.freedesktop.UPower", path: "/org/freedesktop/UPower",
      battery: "2, 2, 12.0, 6.0, 50.0, 7.2, 2250, 0, True, 'low', 3"
    )
    private static let login = (name: "org.freedesktop.login1", path: "/org/freedesktop/login1")

    private let bus: PrivateBus
    private let mocks: MockServices

    init() async throws {
      bus = try await PrivateBus()
      mocks = try await MockServices(on: bus)
    }

    private var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": bus.address] }

    private func startPower() async throws -> RunningCommand {
      try await mocks.start(
        template: "upower", name: Self.power.name, path: Self.power.path,
        parameters: #"{"OnBattery": true}"#)
    }

    private func runLow() async throws {
      try await mocks.run(
        "call('\(Self.power.name)', '\(Self.power.path)', 'org.freedesktop.DBus.Mock', "
          + "'SetupDisplayDevice', \(Self.power.battery))")
    }

    @Test func `a battery that runs low changes the bar at once, and the report says who told it`()
      async throws
    {
      let service = try await startPower()
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let session = try await home.open(adding: environment)
      try await session.waitUntilLive()
      try await runLow()
      try await session.waitUntil("the low battery and its effect") {
        $0.contains("▲ CONSTRAINED battery 12%") && $0.lines[0].contains("◐ polling 45s")
      }
      session.send(":policy\r")
      try await session.waitFor("Runtime policy", "UPower: on, taken")
      service.signal(SIGKILL)
      try await session.waitUntil("the service that went") {
        !$0.contains("CONSTRAINED") && !$0.contains("UPower: on")
      }
    }

    @Test func `doctor lists every provider and what it says`() async throws {
      let service = try await startPower()
      try await runLow()
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let report = try await home.rally("doctor", "--no-query", "--json", adding: environment)
        .json()
      let power = try #require(report["policy"]?["signals"]?.array?.first)
      #expect(power["source"] == "UPower")
      let providers = power["providers"]?.array ?? []
      let names = providers.compactMap { $0["provider"]?.string }
      #expect(names.contains("UPower"))
      #expect(names.count == 5)
      #expect(providers.filter { $0["taken"] == true }.map { $0["says"] } == ["on"])
      #expect(report["sources"]?["system_bus_problem"] == nil)

      let none = try await home.rally("doctor", "--no-query")
      #expect(none.output.contains("no services of the system bus (no bus listens there)"))
      _ = service
    }

    @Test func `state is saved before the machine sleeps, and lists are fetched when it wakes`()
      async throws
    {
      let logind = try await mocks.start(
        template: "logind", name: Self.login.name, path: Self.login.path)
      func inhibitors() async throws -> String {
        try await mocks.run(
          "[str(i[1]) for i in call('\(Self.login.name)', '\(Self.login.path)', "
            + "'org.freedesktop.login1.Manager', 'ListInhibitors')]")
      }
      func prepare(_ isSleep: String) async throws {
        try await mocks.run(
          "call('\(Self.login.name)', '\(Self.login.path)', 'org.freedesktop.DBus.Mock', "
            + "'EmitSignal', 'org.freedesktop.login1.Manager', 'PrepareForSleep', 'b', [\(isSleep)])"
        )
      }
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let session = try await home.open(adding: environment)
      try await session.waitUntilLive()
      while try await inhibitors() != "['Rally']" { try await Task.sleep(for: .milliseconds(20)) }

      try await prepare("True")
      while try await inhibitors() != "[]" { try await Task.sleep(for: .milliseconds(20)) }
      let asleep = try await home.must("doctor", "--no-query", "--json").json()
      #expect(asleep["trace"]?.array?.last?["cause"] == "sleep")

      try await prepare("False")
      while try await inhibitors() != "['Rally']" { try await Task.sleep(for: .milliseconds(20)) }
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
      let trace = try await home.must("doctor", "--no-query", "--json").json()["trace"]?.array ?? []
      let causes = trace.map { $0["cause"]?.string }
      #expect(causes.contains("wake"))
      #expect(trace.contains { $0["directive"] == "refresh (wake)" })
      _ = logind
    }
  }
}
