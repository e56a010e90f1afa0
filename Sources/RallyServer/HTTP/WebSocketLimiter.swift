import NIOCore
import RallyRules
import Synchronization

/// Limits concurrent WebSockets, in total and per address. A slot belongs to a connection and is
/// released when it closes.
final class WebSocketLimiter: Sendable {
  private struct State {
    var taken: Set<ObjectIdentifier> = []
    var perAddress: [ClientAddress: Int] = [:]
  }

  private let budgets: BudgetKeeper
  private let state = Mutex(State())

  init(budgets: BudgetKeeper) { self.budgets = budgets }

  private func budget(of address: ClientAddress) -> Budget {
    address == .door ? .socketsPerDoor : .socketsPerAddress
  }

  /// - Parameter address: nil is not counted, as on a Unix socket.
  func isFull(for address: ClientAddress?) -> Bool {
    state.withLock { state in
      state.taken.count >= budgets[.sockets]
        || address.map { (state.perAddress[$0.group] ?? 0) >= budgets[budget(of: $0)] } ?? false
    }
  }

  /// Takes a slot; false if none is free. Idempotent per connection.
  func take(for channel: any Channel, address: ClientAddress?) -> Bool {
    let (id, address) = (ObjectIdentifier(channel), address?.group)
    let (hasSlot, isNew) = state.withLock { state in
      if state.taken.contains(id) { return (true, false) }
      guard budgets.allows(.sockets, beside: state.taken.count) else { return (false, false) }
      if let address {
        let count = state.perAddress[address, default: 0]
        guard budgets.allows(budget(of: address), beside: count) else { return (false, false) }
        state.perAddress[address] = count + 1
      }
      state.taken.insert(id)
      return (true, true)
    }
    if isNew {
      channel.closeFuture.whenComplete { [self] _ in
        state.withLock { state in
          state.taken.remove(id)
          if let address, let count = state.perAddress[address] {
            state.perAddress[address] = count > 1 ? count - 1 : nil
          }
        }
      }
    }
    return hasSlot
  }
}
