import FoundationEssentials
import Glibc

extension POSIXError {
  /// The failure of the system call before, by `errno`.
  package static var last: POSIXError { POSIXError(.init(rawValue: errno) ?? .EIO) }
}

extension Error {
  /// Why a file or folder could not be used, as the system says it: `permission denied`.
  public var systemReason: String {
    let cause = self as? CocoaError
    guard let error = self as? POSIXError ?? cause?.userInfo["NSUnderlyingError"] as? POSIXError
    else { return logLabel }
    return String(cString: strerror(error.code.rawValue)).lowercased()
  }
}
