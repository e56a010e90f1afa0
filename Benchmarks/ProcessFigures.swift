import Foundation

/// Resource usage of a process, from `/proc`.
struct ProcessFigures {
  /// Voluntary context switches of each thread since its start.
  private var switches: [String: Int] = [:]
  /// CPU time in clock ticks since its start.
  var ticks: Int
  /// CPU time of the threads that live, since their start.
  var processor: Duration
  /// That of the main thread alone.
  var mainThread = Duration.zero
  /// Resident memory in MiB.
  var residentMegabytes: Double
  /// What no file on disk holds.
  var privateMegabytes: Double

  /// Returns nil if there is no such process.
  init?(of process: pid_t) {
    let folder = "/proc/\(process)"
    guard let status = Self.read("\(folder)/status"), let stat = Self.read("\(folder)/stat"),
      let threads = try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/task")
    else { return nil }
    residentMegabytes = Double(Self.field("VmRSS", status) ?? 0) / 1024
    privateMegabytes = Double(Self.field("RssAnon", status) ?? 0) / 1024
    var nanoseconds: Int64 = 0
    for thread in threads {
      // The time on the processor in ns, the time of waiting for it, and the number of slices.
      let slices = Self.read("\(folder)/task/\(thread)/schedstat") ?? ""
      let spent = slices.split(separator: " ").first.flatMap { Int64($0) } ?? 0
      nanoseconds += spent
      if thread == "\(process)" { mainThread = .nanoseconds(spent) }
      let text = Self.read("\(folder)/task/\(thread)/status") ?? ""
      switches[thread] = Self.field("voluntary_ctxt_switches", text) ?? 0
    }
    processor = .nanoseconds(nanoseconds)
    // utime and stime are fields 14 and 15 of proc(5).
    let fields = Self.fields(stat)
    ticks = fields.count > 13 ? (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0) : 0
  }

  /// Whether a process is gone, or waits for nothing but its parent.
  static func hasEnded(_ process: pid_t) -> Bool {
    guard let stat = read("/proc/\(process)/stat") else { return true }
    return fields(stat).dropFirst().first == "Z"
  }

  /// The processes that a process started and that live.
  static func children(of parent: pid_t) -> [pid_t] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.compactMap { pid_t($0) }.filter { process in
      let found = read("/proc/\(process)/stat").map(fields) ?? []
      return found.count > 2 && pid_t(found[2]) == parent
    }
  }

  /// The fields of `/proc/PID/stat` from the end of the name in parentheses on: that, the state, and
  /// the numbers.
  private static func fields(_ stat: String) -> [Substring] {
    stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
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
