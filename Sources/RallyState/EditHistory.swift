/// A value with its undo and redo history.
///
/// Consecutive changes of one field are one step, until another field is changed, a step is undone,
/// or `endStep` is called.
public struct EditHistory<State: Equatable & Sendable>: Equatable, Sendable {
  private struct Step: Equatable, Sendable {
    var state: State
    /// The field whose change left this state; nil for a change that is never joined.
    var field: String?
  }

  /// The maximum number of undo steps.
  public let limit: Int
  public private(set) var present: State
  private var past: [Step] = []
  private var future: [State] = []
  private var isStepOpen = false

  /// - Parameter limit: At least 1; the oldest steps beyond it are dropped.
  public init(_ present: State, limit: Int = 200) {
    self.present = present
    self.limit = max(1, limit)
  }

  public var canUndo: Bool { !past.isEmpty }
  public var canRedo: Bool { !future.isEmpty }

  /// Sets a new value and clears the redo history.
  ///
  /// - Parameter field: Joins this change to the previous one if that was to the same field.
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

  /// The next change starts a step of its own, even in the same field.
  public mutating func endStep() { isStepOpen = false }

  /// Undoes one step; returns false if there is none.
  @discardableResult
  public mutating func undo() -> Bool {
    guard let step = past.popLast() else { return false }
    future.append(present)
    present = step.state
    isStepOpen = false
    return true
  }

  /// Redoes the last undone step; returns false if there is none.
  @discardableResult
  public mutating func redo() -> Bool {
    guard let state = future.popLast() else { return false }
    past.append(Step(state: present, field: nil))
    present = state
    isStepOpen = false
    return true
  }
}
