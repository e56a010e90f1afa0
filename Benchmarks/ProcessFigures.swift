import Foundation

/// Resource usage of a process, from `/proc`.
struct ProcessFigures {
  /// Voluntary context switches of each thread since its start.
  private var switches: [String: Int] = [:]
  /// CPU time in clock ticks since its start.
  var ticks: Int
  /// Resident memory in MiB.
  var residentMegabytes: Double

  /// Returns nil if there is no such process.
  init?(of process: pid_t) {
    let folder = "/proc/\(process)"
    guard let status = Self.read("\(folder)/status"), let stat = Self.read("\(folder)/stat"),
      let threads = try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/task")
    else { return nil }
    residentMegabytes = Double(Self.field("VmRSS", status) ?? 0) / 1024
    for thread in threads {
      let text = Self.read("\(folder)/task/\(thread)/status") ?? ""
      switches[thread] = Self.field("voluntary_ctxt_switches", text) ?? 0
    }
    // After the name in parentheses: utime and stime are fields 14 and 15 of proc(5).
    let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
    ticks = fields.count > 13 ? (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0) : 0
  }

  /// The number of wake-ups since an earlier sample, without threads that ended in between.
  func wakeUps(since earlier: ProcessFigures) -> Int {
    switches.reduce(0) { $0 + $1.value - (earlier.switches[$1.key] ?? 0) }
  }

  private static func read(_ path: String) -> String? {
    try? String(contentsOfFile: path, encoding: .utf8)
  }

  private static func field(_ name: String, _ text: String) -> Int? {
    for line in text.split(separator: "\n") where line.hasPrefix("\(name):") {
      let digits = line.dropFirst(name.count + 1).filter(\.isNumber)
      return Int(digits)
    }
    return nil
  }
}
