import CPtyHolder
import Foundation

/// How a process ended, exactly as the kernel said it.
public enum ProcessEnd: Hashable, Sendable, CustomStringConvertible {
  case exited(Int32)
  case signalled(Int32)

  /// - Parameter waitStatus: As `waitpid` gives it; nil is returned while the process lives.
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

/// Why a program could not be driven.
public struct ProcessFailure: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }

  init(_ what: String, errno code: Int32) {
    self.init("\(what): \(String(cString: strerror(code)))")
  }
}
