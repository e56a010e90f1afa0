import Foundation
import RallyTestSupport

/// Measures the client's file, and its shortest run.
struct ProgramMeasurements {
  let server: BenchmarkServer
  let plan: Plan

  /// - Throws: `ProcessFailure` without the program, or what running `strip` throws.
  func measure(into table: inout ResultTable) throws {
    progress("the program")
    let client = try server.startSubject()
    let version = StartSubject(
      name: client.name, command: client.command, arguments: ["--version"], folder: client.folder,
      isUsable: { $0.contains("rally ") })
    var times = Sample()
    for _ in 0..<plan.starts { if let run = version.start() { times.add(run.elapsed) } }
    table.add(client.name, "--version, median", times.quantile(0.5), target: 5)
    table.add(
      client.name, "client alone, stripped", try strippedMegabytes(client.command), "MB", target: 30
    )
  }

  /// - Returns: Millions of bytes; nil if `strip` fails.
  private func strippedMegabytes(_ program: String) throws -> Double? {
    let copy = server.folder.file("stripped")
    let strip = Process()
    strip.executableURL = URL(filePath: "/usr/bin/env")
    strip.arguments = ["strip", "--strip-all", "-o", copy, program]
    try strip.run()
    strip.waitUntilExit()
    let size = try? FileManager.default.attributesOfItem(atPath: copy)[.size] as? Int
    try? FileManager.default.removeItem(atPath: copy)
    return size.map { Double($0) / 1e6 }
  }
}
