import Observation
import RallyEnvironment

/// A value derived from observable state that notifies its observers only when it changes.
///
/// A view body that counts the rows of a list runs again on every change of the list; one that
/// reads a box with the count runs again only when the count changes.
@MainActor public final class BoxedState<Value: Equatable>: ObservedState {
  public var value: Value {
    willRead()
    return derived
  }

  private var derived: Value
  private let derive: @MainActor () -> Value

  /// - Parameter derive: Reads observable objects. Runs once now, and again after every change of
  ///   what it read.
  public init(_ derive: @escaping @MainActor () -> Value) {
    self.derive = derive
    derived = derive()
    super.init()
    follow()
  }

  /// Derives the value and observes what it was derived from.
  ///
  /// `onChange` is called before the change, so the value is derived in a later turn of the main
  /// actor; all changes of one turn are handled together.
  private func follow() {
    let now = withObservationTracking {
      derive()
    } onChange: { [weak self] in
      Task { @MainActor in self?.follow() }
    }
    if now != derived { changing { derived = now } }
  }
}
