import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient

extension EndToEnd {
  /// People who act on each other's friendships through three servers at once.
  @Suite struct ClusterHistoryTests {
    /// How many calls each person has under way at any time.
    private static let callsAtOnce = 2

    /// One person, signed in at every server.
    private struct Actor: Sendable {
      let number: Int
      let clients: [SupabaseClient]
      let ids: [UUID]
      let history: FriendHistory

      /// Calls a random server, and others when it is lost, until there is an answer.
      func perform(
        _ operation: FriendHistory.Operation, using numbers: inout SeededGenerator
      ) async throws {
        let (begin, clientID) = (history.begin(), UUID())
        while true {
          do {
            let client = clients[Int.random(in: clients.indices, using: &numbers)]
            let answer = try await answer(to: operation, clientID, from: client)
            return history.end(operation, since: begin, answer: answer)
          } catch let error as NetworkError where error.isTransient {}
        }
      }

      private func answer(
        to operation: FriendHistory.Operation, _ clientID: UUID, from client: SupabaseClient
      ) async throws -> String? {
        do {
          switch operation {
          case .status(_, let other):
            return try await client.call(FetchFriendshipStatus(userID: ids[other])).rawValue
          case .change(let call): try await change(call.act, ids[call.about], clientID, client)
          }
          return nil
        } catch NetworkError.refused(let failure, let status) where status < 500 {
          return failure.hint ?? failure.code
        }
      }

      private func change(
        _ act: FriendModel.Act, _ id: UUID, _ clientID: UUID, _ client: SupabaseClient
      ) async throws {
        switch act {
        case .ask: _ = try await client.call(RequestFriend(userID: id), clientID: clientID)
        case .accept, .decline:
          _ = try await client.call(
            RespondToFriendRequest(userID: id, accept: act == .accept), clientID: clientID)
        case .cancel:
          _ = try await client.call(CancelFriendRequest(userID: id), clientID: clientID)
        case .remove: _ = try await client.call(RemoveFriend(userID: id), clientID: clientID)
        case .block: _ = try await client.call(BlockUser(userID: id), clientID: clientID)
        case .unblock: _ = try await client.call(UnblockUser(userID: id), clientID: clientID)
        case .vanish: Issue.record("nobody deletes an account here")
        }
      }

      /// What this person does next, asking and accepting most often.
      func next(using numbers: inout SeededGenerator) -> FriendHistory.Operation {
        let other = (number + Int.random(in: 1..<ids.count, using: &numbers)) % ids.count
        let acts: [FriendModel.Act?] =
          [.ask, .ask, .accept, .accept, .decline, .cancel, .remove, .block, .unblock, .unblock]
          + [nil, nil, nil, nil]
        guard let act = acts[Int.random(in: acts.indices, using: &numbers)] else {
          return .status(by: number, about: other)
        }
        return .change(FriendModel.Call(act: act, by: number, about: other))
      }
    }

    @Test(arguments: [UInt64(1), 2])
    func `friendships are linearizable while one server after the other is killed`(
      _ seed: UInt64
    ) async throws {
      let cluster = try await ServerCluster(
        of: 3, budgets: ["friend-changes-per-minute=1000000"])
      let actors = try await Self.actors(on: cluster.nodes)
      let history = actors[0].history
      let (answers, answered) = AsyncStream.makeStream(of: Void.self)
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for number in 0..<actors.count * Self.callsAtOnce {
          let actor = actors[number % actors.count]
          tasks.addTask {
            var numbers = SeededGenerator(seed: seed * 100 + UInt64(number))
            while true {
              try await actor.perform(actor.next(using: &numbers), using: &numbers)
              // Nobody counts the answers any longer once all servers were killed.
              if case .terminated = answered.yield() { return }
            }
          }
        }
        tasks.addTask {
          defer { answered.finish() }
          var answers = answers.makeAsyncIterator()
          for node in cluster.nodes {
            for _ in 0..<60 { await answers.next() }
            try await node.kill()
            history.lose()
            for _ in 0..<60 { await answers.next() }
            try await cluster.start(node)
          }
        }
        try await tasks.waitForAll()
      }
      var numbers = SeededGenerator(seed: seed)
      for actor in actors {
        for other in actors.indices where other != actor.number {
          try await actor.perform(
            .status(by: actor.number, about: other), using: &numbers)
        }
      }
      for (pair, calls) in history.contradictions { Issue.record("\(pair):\n\(calls)") }
      try await cluster.terminate()
    }

    private static func actors(on servers: [ServerProcess]) async throws -> [Actor] {
      var (people, ids): ([[SupabaseClient]], [UUID]) = ([], [])
      for name in ["ana", "bob", "cleo"] {
        let session = try await AuthService(client: servers[0].client()).signUp(
          email: "\(name)@example.org", password: Home.password, username: name)
        var clients: [SupabaseClient] = []
        for server in servers {
          clients.append(try await server.client())
          try await AuthService(client: clients[clients.count - 1]).take(session)
        }
        people.append(clients)
        ids.append(session.user.id)
      }
      let history = FriendHistory()
      return people.enumerated().map { [ids] in
        Actor(number: $0, clients: $1, ids: ids, history: history)
      }
    }
  }
}
