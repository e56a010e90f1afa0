import Glibc

/// A failed D-Bus call or connection.
package struct BusProblem: ReportableError, Hashable {
  /// A positive `errno` value.
  var code: Int32

  /// What failed, for the end of a sentence.
  package var sentence: String {
    switch code {
    case ENOSYS: "libsystemd.so.0, which speaks D-Bus, is missing"
    case ENOENT, ECONNREFUSED: "no bus listens there"
    case ECONNRESET, ENOTCONN, EPIPE: "the bus ended"
    case ETIMEDOUT: "no answer"
    case EBADR: "the service does not have what is asked for"
    default: String(cString: strerror(code))
    }
  }

  /// Whether the service does not run.
  package var isAbsence: Bool { code == ENXIO || code == EHOSTUNREACH }

  /// Whether the caller is not allowed to.
  package var isRefusal: Bool { code == EACCES || code == EPERM }

  /// Whether the object, or its method, is not there.
  package var isUnknownObject: Bool { code == EBADR }

  package static func check(_ code: Int32) throws(BusProblem) {
    if code < 0 { throw BusProblem(code: -code) }
  }
}
