import Foundation
import RallyState

/// A cookbook: the smallest reducer that loads, without an environment.
struct RecipeReducer: Reducer {
  enum Recipe: String, Sendable {
    case burger, pizza, soup
  }

  struct State {
    var recipes: LoadableValue<[Recipe], any Error> = .idle
    var favourites: Set<Recipe> = []
    var portions = 2
  }

  enum Request {
    case fetchRecipes
    case toggleFavourite(Recipe)
    case setPortions(Int)
  }

  typealias Environment = Void

  func reduce(store: Store<Self>, request: Request) async {
    switch request {
    case .fetchRecipes: await load(store: store, keyPath: \.recipes) { _ in [.burger, .pizza] }
    case .toggleFavourite(let recipe):
      modifyValue(store: store, \.favourites) { favourites in
        if favourites.remove(recipe) == nil { favourites.insert(recipe) }
      }
    case .setPortions(let portions): modifyValue(store: store, \.portions) { $0 = max(1, portions) }
    }
  }
}
