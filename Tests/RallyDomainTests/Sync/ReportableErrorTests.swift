import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct ReportableErrorTests {
  /// Sources whose errors no person of the client meets: the server says them itself.
  private static let apart = [
    "RallyServer", "RallyRules", "RallyStorage", "rally-server", "RallyTestSupport",
  ]

  private struct Source {
    var path: String
    var text: String
  }

  private static func sources() throws -> [Source] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    return try (files?.compactMap { $0 as? URL } ?? [])
      .filter { $0.pathExtension == "swift" }
      .filter { file in !apart.contains { file.path.contains("/Sources/\($0)/") } }
      .map { Source(path: $0.path, text: try String(contentsOf: $0, encoding: .utf8)) }
  }

  @Test func `every error type of the client says what failed and what to do`() throws {
    let sources = try Self.sources()
    #expect(sources.count > 300)
    let declared = /(?:enum|struct|class) (?<name>\w+)(?<generic><[^>]*>)?: (?<parents>[^{]*)\{/
    var names: [String] = []
    for source in sources {
      for match in source.text.matches(of: declared) {
        let parents = match.parents.split(separator: ",").map {
          $0.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard parents.contains("Error") || parents.contains("ReportableError") else { continue }
        let name = String(match.name)
        names.append(name)
        let extending = try Regex("extension (\\w+\\.)*\(name): ReportableError")
        let conforming = sources.filter { $0.text.contains(extending) }
        #expect(
          parents.contains("ReportableError") || !conforming.isEmpty,
          "\(name) in \(source.path) does not conform to ReportableError")
        // The sentence of every error would answer with itself for a type that has none.
        #expect(
          ([source] + conforming).contains {
            $0.text.contains(/(var|let) [a-z, ]*sentence: String/)
          },
          "\(name) in \(source.path) has no sentence")
      }
    }
    #expect(names.count > 35)
  }

  @Test func `a file that cannot be used is named to the person and in the log`() {
    let error: any Error = FileError("/home/ana/zones.json", POSIXError(.ENOSPC))
    #expect(error.sentence == "/home/ana/zones.json cannot be used (no space left on device).")
    #expect(error.logLabel == "/home/ana/zones.json: no space left on device")
  }

  @Test func `a refusal of the system has its reason, without a file too`() {
    let error: any Error = POSIXError(.EMFILE)
    #expect(error.sentence.contains("too many open files"))
    #expect(error.logLabel == "too many open files")
  }

  @Test func `an error of Foundation about a file is one about that file`() {
    let error = #expect(throws: (any Error).self) {
      try FileManager.default.createDirectory(
        atPath: "/proc/none", withIntermediateDirectories: false)
    }
    #expect(error?.sentence.hasPrefix("/proc/none cannot be used (") == true)
  }

  @Test func `the log tells the cases of an error apart and repeats nothing that was typed`() {
    let errors: [any Error] = [
      RangeProblem.missing(status: 404), RangeProblem.changed,
      FieldProblem(field: .username, advice: "ana is no name"),
    ]
    #expect(
      errors.map(\.logLabel) == [
        "RangeProblem.missing", "RangeProblem.changed", "invalid username",
      ])
  }

  @Test func `an error that nobody described still has words`() {
    struct Unknown: Error {}
    let error: any Error = Unknown()
    #expect(error.sentence == "Something unexpected failed. The log has the details.")
    #expect(error.logLabel == "Unknown")
  }
}
