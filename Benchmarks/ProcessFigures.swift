import Foundation

/// What `/proc` says of a process.
struct ProcessFigures {
  /// How often each thread went to sleep and was woken, since its start.
  private var switches: [String: Int] = [:]
  /// Ticks of processor time, since its start.
  var ticks: Int
  /// Resident memory, MiB.
  var residentMegabytes: Double

  /// Nil when there is no such process.
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

  /// How often threads were woken since an earlier look; those that ended meanwhile are not known.
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
