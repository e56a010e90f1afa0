import RallyState

/// Where somebody is in a program: a tab, and what was opened on top of each.
struct NavigationReducer: Reducer {
  enum Tab: CaseIterable, Sendable { case map, missions, friends }

  enum Screen: Hashable, Sendable {
    case person(String)
    case mission(Int)
  }

  struct State: Equatable {
    var tab = Tab.map
    var paths: [Tab: [Screen]] = [:]

    /// What is on top of the tab; nil when the tab itself is.
    var top: Screen? { paths[tab]?.last }
  }

  enum Request {
    case select(Tab)
    case push(Screen)
    case pop
    case popToRoot
  }

  typealias Environment = Void

  func reduce(store: Store<Self>, request: Request) async {
    switch request {
    case .select(let tab): modifyValue(store: store, \.tab) { $0 = tab }
    case .push(let screen):
      guard store.state.top != screen else { return }
      modifyValue(store: store, \.paths) { $0[store.tab, default: []].append(screen) }
    case .pop: modifyValue(store: store, \.paths) { _ = $0[store.tab]?.popLast() }
    case .popToRoot: modifyValue(store: store, \.paths) { $0[store.tab] = nil }
    }
  }
}
