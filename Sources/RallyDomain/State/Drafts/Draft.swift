import Foundation
import RallyWire

/// A form: fields with rules, and one answer from a service.
///
/// A field shows its problem once it was typed in, or once the form was submitted.
public protocol Draft: Sendable, Equatable {
  /// The fields that are asked for now, from top to bottom.
  var fields: [FieldProblem.Field] { get }
  /// The fields whose problem may be shown.
  var touchedFields: Set<FieldProblem.Field> { get set }
  /// The answer to the finished form: the person's id.
  var submission: LoadableValue<UUID, DraftFailure> { get set }

  /// What is wrong with a field as it stands, whether it may be shown or not.
  func check(_ field: FieldProblem.Field) -> FieldProblem?
}

extension Draft {
  /// What to show under a field: the server's refusal, or the rule that the text breaks.
  public func problem(on field: FieldProblem.Field) -> FieldProblem? {
    // A form that was taken has nothing left to mend, though its password is gone.
    guard fields.contains(field), submission.value == nil else { return nil }
    if case .field(let refused)? = submission.failure, refused.field == field { return refused }
    return touchedFields.contains(field) ? check(field) : nil
  }

  /// What to show on the form as a whole, when the failure belongs to no field that is asked for.
  public var formProblem: String? {
    switch submission.failure {
    case .form(let advice)?: advice
    case .field(let refused)? where !fields.contains(refused.field): refused.advice
    default: nil
    }
  }

  /// The topmost field with something to show, where the cursor belongs after a failed submit.
  public var firstProblemField: FieldProblem.Field? {
    fields.first { problem(on: $0) != nil }
  }

  /// Whether every field keeps its rules and no answer is being waited for.
  public var canSubmit: Bool {
    !submission.isLoading() && submission.value == nil && fields.allSatisfy { check($0) == nil }
  }

  /// Notes that a field was typed in; an earlier refusal of it, or of the form, is out of date.
  mutating func edited(_ field: FieldProblem.Field) {
    touchedFields.insert(field)
    if case .field(let refused)? = submission.failure, refused.field != field,
      fields.contains(refused.field)
    {
      return
    }
    forgetRefusal()
  }

  /// Takes the last answer off the form, unless it was a yes.
  mutating func forgetRefusal() {
    switch submission {
    case .failed, .cancelled: submission = .idle
    case .idle, .loading, .loaded: return
    }
  }
}

/// Why a finished form was not taken.
public enum DraftFailure: Error, Hashable, Sendable {
  /// It belongs to one field.
  case field(FieldProblem)
  /// It belongs to no field: one sentence that says what failed and what to do.
  case form(advice: String)

  /// Puts a refusal on the field it belongs to, or on the form.
  init(_ error: AuthError) {
    if let field = error.field {
      self = .field(FieldProblem(field: field, advice: error.sentence))
    } else {
      self = .form(advice: error.sentence)
    }
  }
}

/// Where an account lives, which decides what a form asks for.
public enum ServerKind: String, Hashable, Sendable, CaseIterable {
  /// On this machine, started on demand: a username is enough.
  case embedded
  /// Shared with others: an e-mail address is asked.
  case remote
}

extension DraftFailure {
  /// What to say where no field can be shown.
  public var sentence: String {
    switch self {
    case .field(let problem): problem.advice
    case .form(let advice): advice
    }
  }
}
