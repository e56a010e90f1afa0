/// From which addresses accounts were entered lately, in memory alone.
///
/// Accounts and addresses are kept as hashes that are seeded anew by every process. The number is
/// bounded: an account keeps the addresses of its last entries, and the accounts that were entered
/// longest ago are forgotten.
package struct KnownAddresses {
  /// Accounts of a generation.
  static let capacity = 8192
  /// Addresses of one account.
  package static let perAccount = 8

  /// Two generations: when the young one is full it becomes the old one.
  private var young: [Int: [Int]] = [:]
  private var old: [Int: [Int]] = [:]

  package init() {}

  package var count: Int { young.count + old.count }

  /// - Parameter address: nil for a Unix socket.
  package func contains(_ address: ClientAddress?, of account: String) -> Bool {
    let key = account.hashValue
    return (young[key] ?? old[key])?.contains(address.hashValue) ?? false
  }

  package mutating func insert(_ address: ClientAddress?, of account: String) {
    let (key, place) = (account.hashValue, address.hashValue)
    let others = (young[key] ?? old[key] ?? []).filter { $0 != place }
    if young.count >= KnownAddresses.capacity, young[key] == nil {
      old = young
      young = [:]
    }
    young[key] = others.suffix(KnownAddresses.perAccount - 1) + [place]
  }
}
