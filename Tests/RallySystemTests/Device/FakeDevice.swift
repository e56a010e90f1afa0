import Foundation
import RallyTestSupport
import Testing

@testable import RallySystem

/// A sysfs and a procfs of plain files, gone with the object.
final class FakeDevice: Sendable {
  let folder: URL

  init() {
    folder = FileManager.default.temporaryDirectory.appending(path: "rally-device-\(UUID())")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var roots: DeviceRoots {
    DeviceRoots(
      system: folder.appending(path: "sys").path, process: folder.appending(path: "proc").path)
  }
  var system: AttributeReader { AttributeReader(root: roots.system) }
  var process: AttributeReader { AttributeReader(root: roots.process) }

  func signals(serverReach: ServerReach = .thisMachine) -> DeviceSignals {
    DeviceSignals(roots: roots, serverReach: serverReach, routes: .files)
  }

  func write(_ path: String, _ text: String, in tree: String = "sys") {
    let file = folder.appending(path: "\(tree)/\(path)")
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("\(text)\n".utf8).write(to: file)
    } catch {
      Issue.record("The fake device cannot write \(path): \(error)")
    }
  }

  func makeFolder(_ path: String) {
    try? FileManager.default.createDirectory(
      at: folder.appending(path: "sys/\(path)"), withIntermediateDirectories: true)
  }

  func remove(_ path: String) {
    try? FileManager.default.removeItem(at: folder.appending(path: "sys/\(path)"))
  }

  /// A thermal zone with thresholds in the order given.
  func zone(
    _ number: Int, type: String, temperature: Int, trips: [(type: String, temperature: Int)]
  ) {
    let zone = "class/thermal/thermal_zone\(number)"
    write("\(zone)/type", type)
    write("\(zone)/temp", "\(temperature)")
    for (index, trip) in trips.enumerated() {
      write("\(zone)/trip_point_\(index)_type", trip.type)
      write("\(zone)/trip_point_\(index)_temp", "\(trip.temperature)")
    }
  }
}

/// Waits for a condition, and fails when it does not come.
@MainActor
func until(
  _ comment: Comment = "the condition did not come",
  sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: @MainActor () -> Bool
) async throws {
  let patience = ContinuousClock.now + PollingBackoff.limit
  while !condition() {
    try #require(ContinuousClock.now < patience, comment, sourceLocation: sourceLocation)
    try await Task.sleep(for: .milliseconds(2))
  }
}
