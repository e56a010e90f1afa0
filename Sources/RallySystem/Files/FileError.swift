import FoundationEssentials
import Glibc

/// A file or folder of this machine that could not be used.
public struct FileError: ReportableError, Hashable, Sendable {
  public let path: String
  /// As the system says it: `permission denied`.
  public let reason: String

  /// - Parameter cause: By default the failure of the system call before, by `errno`.
  package init(_ path: String, _ cause: any Error = POSIXError.last) {
    self.path = path
    reason = cause.systemReason
  }

  /// - Returns: nil for an error about something else.
  public init?(_ error: any Error) {
    if let error = error as? FileError {
      self = error
    } else if let path = (error as? CocoaError)?.userInfo["NSFilePath"] as? String {
      self.init(path, error)
    } else {
      return nil
    }
  }

  public var sentence: String { "\(path) cannot be used (\(reason))." }
  public var logDetail: String { "\(path): \(reason)" }
}

extension POSIXError {
  /// The failure of the system call before, by `errno`.
  package static var last: POSIXError { POSIXError(.init(rawValue: errno) ?? .EIO) }
}

extension Error {
  /// Why a file or folder could not be used, as the system says it: `permission denied`.
  public var systemReason: String {
    if let error = self as? FileError { return error.reason }
    let cause = self as? CocoaError
    guard let error = self as? POSIXError ?? cause?.userInfo["NSUnderlyingError"] as? POSIXError
    else { return (self as? any ReportableError)?.logDetail ?? "\(type(of: self))" }
    return String(cString: strerror(error.code.rawValue)).lowercased()
  }
}
