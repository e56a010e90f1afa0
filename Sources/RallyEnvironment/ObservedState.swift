import Observation

/// Observation for a class that holds one value of a generic type.
///
/// Not generic. The runtime makes the key path of a generic type anew at every access. For each
/// type it looks for the conformances that its parameters need among all of the program.
@MainActor open class ObservedState: Observable {
  private static let changes = \ObservedState.change
  private let registrar = ObservationRegistrar()
  private var change: Void { () }

  public init() {}

  /// Call before the value is read.
  public final func willRead() { registrar.access(self, keyPath: Self.changes) }

  /// - Parameter change: Writes the value.
  public final func changing(_ change: () -> Void) {
    registrar.withMutation(of: self, keyPath: Self.changes, change)
  }
}
