/// A value with the steps that led to it, so that they can be undone and done again.
///
/// What is typed into one field is one step until another field is changed, a step is undone, or
/// `endStep` says so.
public struct EditHistory<State: Equatable & Sendable>: Equatable, Sendable {
  private struct Step: Equatable, Sendable {
    var state: State
    /// The field that was changed from this state on; nil for a change that stands alone.
    var field: String?
  }

  /// How many steps are kept.
  public let limit: Int
  public private(set) var present: State
  private var past: [Step] = []
  private var future: [State] = []
  private var isStepOpen = false

  /// - Parameter limit: At least one; the oldest steps are forgotten beyond it.
  public init(_ present: State, limit: Int = 200) {
    self.present = present
    self.limit = max(1, limit)
  }

  public var canUndo: Bool { !past.isEmpty }
  public var canRedo: Bool { !future.isEmpty }

  /// Takes a new value; what was undone before cannot be done again.
  ///
  /// - Parameter field: Joins this change to the one before when that was to the same field.
  public mutating func change(to state: State, field: String? = nil) {
    guard state != present else { return }
    let joins = isStepOpen && field != nil && past.last?.field == field
    if !joins {
      past.append(Step(state: present, field: field))
      if past.count > limit { past.removeFirst() }
    }
    isStepOpen = true
    future = []
    present = state
  }

  /// What is changed next is a step of its own, even in the same field.
  public mutating func endStep() { isStepOpen = false }

  /// Goes one step back; false when there is none.
  @discardableResult
  public mutating func undo() -> Bool {
    guard let step = past.popLast() else { return false }
    future.append(present)
    present = step.state
    isStepOpen = false
    return true
  }

  /// Takes back the last undo; false when there is none.
  @discardableResult
  public mutating func redo() -> Bool {
    guard let state = future.popLast() else { return false }
    past.append(Step(state: present, field: nil))
    present = state
    isStepOpen = false
    return true
  }
}
