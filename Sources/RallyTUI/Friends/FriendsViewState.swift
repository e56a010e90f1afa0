import Observation
import RallyEnvironment

/// How this person looks at the lists of friends, also after another account signed in.
@MainActor
@Observable
final class FriendsViewState {
  /// How the list of friends is sorted.
  var order = PeopleOrder.requests
}

private struct FriendsViewStateKey: EnvironmentKey {
  static let defaultValue = FriendsViewState()
}

extension EnvironmentValues {
  var friendsViewState: FriendsViewState {
    get { self[FriendsViewStateKey.self] }
    set { self[FriendsViewStateKey.self] = newValue }
  }
}
