import NIOCore
import Synchronization

/// How many WebSockets there may be at once. A seat belongs to a connection and is free when it closes.
final class SocketSeats: Sendable {
  private let budgets: BudgetKeeper
  private let taken = Mutex<Set<ObjectIdentifier>>([])

  init(budgets: BudgetKeeper) { self.budgets = budgets }

  var isFull: Bool { taken.withLock { $0.count >= budgets[.sockets] } }

  /// Takes a seat; false when there is none. Asking again for the same connection changes nothing.
  func take(for channel: any Channel) -> Bool {
    let id = ObjectIdentifier(channel)
    let (isSeated, isNew) = taken.withLock { taken in
      if taken.contains(id) { return (true, false) }
      guard budgets.allows(.sockets, beside: taken.count) else { return (false, false) }
      taken.insert(id)
      return (true, true)
    }
    if isNew {
      channel.closeFuture.whenComplete { [self] _ in
        taken.withLock { _ = $0.remove(id) }
      }
    }
    return isSeated
  }
}
