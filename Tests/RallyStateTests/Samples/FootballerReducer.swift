import Foundation
import RallyState

/// Loads players, and tells everybody when one is signed.
struct FootballerReducer: Reducer {
  struct Footballer: Equatable, Identifiable, Sendable {
    let id: Int
    var name: String
    var goals = 0
  }

  struct State {
    var players: LoadableValue<[Footballer], any Error> = .idle
    var signed: [Footballer.ID] = []
  }

  enum Request {
    case loadPlayers
    case giveUp
    case score(Footballer.ID)
    case sign(Footballer.ID)
    case heardOfSigning(Footballer.ID)
  }

  struct Environment {
    var fetchPlayers: @Sendable () async throws -> [Footballer]
    var broadcastStudio = BroadcastStudio()
  }

  /// A player has a new club.
  struct PlayerSignedMessage: BroadcastMessage {
    let id = UUID()
    let name = "Player Signed"
    let originatingFrom: any StoreProtocol
    let playerID: Footballer.ID
  }

  func reduce(store: Store<Self>, request: Request) async {
    switch request {
    case .loadPlayers:
      await load(store: store, keyPath: \.players) { env in
        try await env.fetchPlayers()
      }
    case .giveUp: cancel(store: store, keyPath: \.players)
    case .score(let id):
      modifyLoadedValue(store: store, \.players) { players in
        guard let index = players.firstIndex(where: { $0.id == id }) else { return }
        players[index].goals += 1
      }
    case .sign(let id):
      withEnvironment(store: store, keyPath: \.broadcastStudio) { studio in
        broadcast(PlayerSignedMessage(originatingFrom: store, playerID: id), through: studio)
      }
    case .heardOfSigning(let id): modifyValue(store: store, \.signed) { $0.append(id) }
    }
  }

  func setupSubscriptions(store: Store<Self>) {
    subscribe(store: store, keypath: \.broadcastStudio) { studio in
      studio.publisher
    } map: { message in
      switch message {
      case let signing as PlayerSignedMessage: .heardOfSigning(signing.playerID)
      default: nil
      }
    }
  }
}
