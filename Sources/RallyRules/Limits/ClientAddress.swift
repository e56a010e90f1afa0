import Glibc
import NIOCore

/// An IPv4 or IPv6 address, for counting and comparing.
package struct ClientAddress: Hashable, Sendable {
  /// The 16 bytes of IPv6; IPv4 stands in them as `::ffff:a.b.c.d`.
  private let high: UInt64
  private let low: UInt64

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// nil for other addresses, such as a Unix socket.
  package init?(_ address: SocketAddress?) {
    // As text: which module the fields of its C structures belong to depends on what was compiled
    // before.
    guard let text = address?.ipAddress else { return nil }
    self.init(text)
  }

  /// - Parameter text: A literal without brackets or port.
  package init?(_ text: some StringProtocol) {
    let text = String(text)
    var bytes = [UInt8](repeating: 0, count: 16)
    func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    if inet_pton(AF_INET, text, &bytes) == 1 {
      self.init(high: 0, low: 0xffff_0000_0000 | number(0..<4))
    } else if inet_pton(AF_INET6, text, &bytes) == 1 {
      self.init(high: number(0..<8), low: number(8..<16))
    } else {
      return nil
    }
  }

  private var isVersion4: Bool { high == 0 && low >> 32 == 0xffff }

  package var isLoopback: Bool { isVersion4 ? (low >> 24) & 0xff == 127 : high == 0 && low == 1 }

  /// Stands for all guests of an SSH door; no address of the network is that one.
  package static let door = ClientAddress(high: .max, low: .max)

  /// The unit that is counted: an IPv4 address, or an IPv6 /64 network, which usually belongs to
  /// one household or machine.
  package var group: ClientAddress {
    isVersion4 || self == .door ? self : ClientAddress(high: high, low: 0)
  }
}

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
