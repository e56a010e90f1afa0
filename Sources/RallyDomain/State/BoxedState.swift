import Observation

/// A value derived from observable state that notifies its observers only when it changes.
///
/// A view body that counts the rows of a list runs again on every change of the list; one that
/// reads a box with the count runs again only when the count changes.
@MainActor
@Observable
public final class BoxedState<Value: Equatable> {
  public private(set) var value: Value

  @ObservationIgnored private let derive: @MainActor () -> Value

  /// - Parameter derive: Reads observable objects. Runs once now, and again after every change of
  ///   what it read.
  public init(_ derive: @escaping @MainActor () -> Value) {
    self.derive = derive
    value = derive()
    follow()
  }

  /// Derives the value and observes what it was derived from.
  ///
  /// `onChange` is called before the change, so the value is derived in a later turn of the main
  /// actor; all changes of one turn are handled together.
  private func follow() {
    let derived = withObservationTracking {
      derive()
    } onChange: { [weak self] in
      Task { @MainActor in self?.follow() }
    }
    if derived != value { value = derived }
  }
}
