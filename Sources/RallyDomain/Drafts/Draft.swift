import FoundationEssentials
import RallyClient
import RallyState
import RallySystem
import RallyWire

/// The state of a form: validated fields and the result of submitting them.
///
/// A field shows its problem after it was edited, or after the form was submitted.
public protocol Draft: Sendable, Equatable {
  /// The fields that are shown now, from top to bottom.
  var fields: [FieldProblem.Field] { get }
  /// The fields whose problem may be shown.
  var touchedFields: Set<FieldProblem.Field> { get set }
  /// The result of submitting the form: the id of the user, or of the mission in the mission
  /// composer.
  var submission: LoadableValue<UUID, DraftFailure> { get set }

  /// Validates a field, whether or not its problem may be shown yet.
  func check(_ field: FieldProblem.Field) -> FieldProblem?
}

extension Draft {
  /// The problem to show under a field: the server's refusal or a validation error.
  public func problem(on field: FieldProblem.Field) -> FieldProblem? {
    // An accepted form has no problems, though its password has been cleared.
    guard fields.contains(field), submission.value == nil else { return nil }
    if case .field(let refused)? = submission.failure, refused.field == field { return refused }
    return touchedFields.contains(field) ? check(field) : nil
  }

  /// The problem to show for the whole form, if the failure belongs to no visible field.
  public var formProblem: String? {
    switch submission.failure {
    case .form(let advice)?: advice
    case .field(let refused)? where !fields.contains(refused.field): refused.advice
    default: nil
    }
  }

  /// The first field with a visible problem, which gets the focus after a failed submit.
  public var firstProblemField: FieldProblem.Field? {
    fields.first { problem(on: $0) != nil }
  }

  /// Whether every field is valid and no submission is pending or done.
  public var canSubmit: Bool {
    !submission.isLoading() && submission.value == nil && fields.allSatisfy { check($0) == nil }
  }

  /// Marks a field as edited, which clears the server's refusal of it or of the form.
  mutating func edited(_ field: FieldProblem.Field) {
    touchedFields.insert(field)
    if case .field(let refused)? = submission.failure, refused.field != field,
      fields.contains(refused.field)
    {
      return
    }
    forgetRefusal()
  }

  /// Resets a failed or cancelled submission.
  mutating func forgetRefusal() {
    switch submission {
    case .failed, .cancelled: submission = .idle
    case .idle, .loading, .loaded: return
    }
  }
}

/// Why submitting a form failed.
public enum DraftFailure: ReportableError, Hashable, Sendable {
  /// The failure belongs to one field.
  case field(FieldProblem)
  /// The failure belongs to no field: one sentence that says what failed and what to do.
  case form(advice: String)

  /// Assigns an error to its field, or to the form.
  init(_ error: AuthError) {
    if let field = error.field {
      self = .field(FieldProblem(field: field, advice: error.sentence))
    } else {
      self = .form(advice: error.sentence)
    }
  }
}

/// The type of server that the account is on; decides which fields a form has.
public enum ServerKind: String, Hashable, Sendable, CaseIterable {
  /// On this machine, started on demand: asks for a username only.
  case embedded
  /// A shared server: asks for an e-mail address.
  case remote
}

extension DraftFailure {
  /// The failure as one sentence, for output without fields.
  public var sentence: String {
    switch self {
    case .field(let problem): problem.advice
    case .form(let advice): advice
    }
  }
}
