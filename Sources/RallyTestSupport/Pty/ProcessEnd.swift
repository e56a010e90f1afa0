import CPtyHolder
import Foundation

/// How a process ended, as the kernel reports it.
public enum ProcessEnd: Hashable, Sendable, CustomStringConvertible {
  case exited(Int32)
  case signalled(Int32)

  /// - Parameter waitStatus: The status from `waitpid`.
  /// - Returns: nil while the process runs.
  init?(waitStatus: Int32) {
    if cph_exited(waitStatus) != 0 {
      self = .exited(cph_exit_code(waitStatus))
    } else if cph_signalled(waitStatus) != 0 {
      self = .signalled(cph_signal(waitStatus))
    } else {
      return nil
    }
  }

  public var description: String {
    switch self {
    case .exited(let code): "exited with \(code)"
    case .signalled(let signal): "ended by signal \(signal)"
    }
  }
}

/// An error of a program under test.
public struct ProcessFailure: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }

  init(_ what: String, errno code: Int32) {
    self.init("\(what): \(String(cString: strerror(code)))")
  }
}
