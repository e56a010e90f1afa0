import Observation
import RallyEnvironment

/// A value derived from observable state that notifies its observers only when it changes.
///
/// A view body that counts the rows of a list runs again on every change of the list; one that
/// reads the derived count runs again only when the count changes.
@MainActor public final class DerivedState<Value: Equatable>: ObservedState {
  public var value: Value {
    willRead()
    return derived
  }

  private var derived: Value
  private var changes: ObservedChanges<Value>?

  /// - Parameter derive: Reads observable objects. Runs now, and again after every change of what it
  ///   read.
  public init(_ derive: @escaping @MainActor () -> Value) {
    derived = derive()
    super.init()
    changes = ObservedChanges(of: derive()) { [weak self] _, now in
      self?.changing { self?.derived = now }
    }
  }
}
