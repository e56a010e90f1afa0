import Foundation
import RallyRules

/// Memory and file sizes of this process.
enum ProcessFacts {
  /// Bytes of memory in use; nil where the kernel has no such file.
  static var residentBytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
      let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Total bytes of the files that exist.
  static func size(of files: [String]) -> Int {
    files.reduce(0) { sum, file in
      let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
      return sum + (size ?? 0)
    }
  }
}
