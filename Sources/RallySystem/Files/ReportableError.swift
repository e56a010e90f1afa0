import FoundationEssentials
import RallyText
import RallyWire

/// An error that a person may see: what failed, what to do, and what the log says of it.
///
/// Every error type of the client conforms, also one of a module below this one.
public protocol ReportableError: Error {
  /// What failed and what to do, in one or two sentences.
  var sentence: String { get }
  /// What the log and a report say: a word that distinguishes cases, a path, a reason of the
  /// system. Never a secret, and no text of people or of the server.
  var logDetail: String { get }
}

/// The name of an enum's case for the log; associated values are left out.
package func caseName(of value: some Any) -> String {
  Mirror(reflecting: value).children.first?.label ?? "\(value)"
}

extension ReportableError {
  /// The type with the name of its case; associated values are left out.
  public var logDetail: String {
    Mirror(reflecting: self).displayStyle == .enum
      ? "\(Self.self).\(caseName(of: self))" : "\(Self.self)"
  }
}

extension Error {
  /// A sentence for the user: what failed and what to do.
  public var sentence: String {
    if let error = self as? any ReportableError { return error.sentence }
    if let error = FileError(self) { return error.sentence }
    switch self {
    case is CancellationError: return "Cancelled."
    case is POSIXError, is CocoaError:
      return "Something on this machine cannot be used (\(systemReason)). Look at its disk."
    default: return "Something unexpected failed. The log has the details."
    }
  }

  /// The error for the log.
  public var logLabel: String {
    if let error = self as? any ReportableError { return error.logDetail }
    if let error = FileError(self) { return error.logDetail }
    switch self {
    case is CancellationError: return "cancelled"
    case is POSIXError: return systemReason
    case let error as CocoaError: return "CocoaError \(error.code.rawValue)"
    default: return "\(type(of: self))"
    }
  }
}

// MARK: - Errors of the modules below

extension FunctionFailure: ReportableError {
  public var sentence: String { TextLimits.line.shown(message) }
  public var logDetail: String { "\(code) \(reason?.rawValue ?? "")".trimmed }
}

extension AuthFailure: ReportableError {
  public var sentence: String { TextLimits.line.shown(message) }
  public var logDetail: String { code.rawValue }
}

extension FieldProblem: ReportableError {
  public var sentence: String { advice }
  public var logDetail: String { "invalid \(field.rawValue)" }
}

extension JSONReader.Problem: ReportableError {
  public var sentence: String {
    switch self {
    case .malformed(let byte): "This is not JSON (byte \(byte))."
    case .tooDeep, .tooManyValues: "This JSON holds more than Rally reads."
    }
  }
}
