import Foundation
import RallyTestSupport
import RallyWatch
import RallyWire
import Testing

@Suite struct SealedMessageTests {
  private let link = WatchAddress.random()

  private func place(_ name: String = "Ana Pereira") -> WatchPlace {
    WatchPlace(
      name: name, mode: .precise, coordinate: Samples.lisbon, accuracyMetres: 8, speed: 1.4,
      course: 45, recordedAt: Samples.time, near: "in Lisbon", sentAt: Samples.time,
      until: Samples.time.advanced(by: .seconds(3600)), ground: 7)
  }

  @Test func `an address is 68 characters that no messenger changes, there and back`() throws {
    for _ in 0..<50 {
      let address = WatchAddress.random()
      #expect(address.fragment.count == 68)
      #expect(address.fragment.allSatisfy { $0.isNumber || $0.isUppercase })
      #expect(WatchAddress(fragment: address.fragment) == address)
    }
    #expect(link.link(at: "https://x.test") == "https://x.test/w#\(link.fragment)")
    for wrong in ["", "0", String(link.fragment.dropLast()), link.fragment + "0"] {
      #expect(WatchAddress(fragment: wrong) == nil)
    }
    // No log and no failure of a test shows the key.
    #expect(!"\(link) \(String(reflecting: link))".contains(link.fragment.suffix(52)))
  }

  @Test func `a place comes out as it went in, and all have one length and a nonce of their own`()
    throws
  {
    let names = [
      "", "Ana", String(repeating: "\"\\", count: 20), String(repeating: "👩🏽‍🚀", count: 40),
    ]
    let messages = try names.map { try place($0).message(counter: 3, of: link) }
    #expect(Set(messages.map(\.sealed.utf8.count)).count == 1)
    #expect(Set(messages.map { $0.sealed.prefix(16) }).count == names.count)
    #expect(try WatchPlace(messages[1], of: link) == place("Ana"))
    #expect(try WatchPlace(messages[2], of: link)?.name == names[2])
  }

  @Test func `nothing opens it but its own key, link, kind and counter`() throws {
    let message = try place().message(counter: 3, of: link)
    #expect(message.opened(as: .place, of: link) != nil)
    #expect(message.opened(as: .ground, of: link) == nil)
    #expect(WatchMessage(counter: 4, sealed: message.sealed).opened(as: .place, of: link) == nil)
    let others = [
      WatchAddress(id: link.id, key: .random()),
      WatchAddress(id: WatchAddress.random().id, key: link.key),
    ]
    for other in others { #expect(message.opened(as: .place, of: other) == nil) }
    var changed = Array(message.sealed)
    changed[20] = changed[20] == "A" ? "B" : "A"
    #expect(
      WatchMessage(counter: 3, sealed: String(changed)).opened(as: .place, of: link) == nil)
  }

  @Test func `a ground takes lines as long as there is room, and has one length`() {
    var ground = WatchGround(around: Samples.lisbon, unit: 1)
    let line = WatchGround.Line(
      kind: .road, points: (0..<100).map { SIMD2(Int16($0), Int16(-$0)) })
    var count = 0
    while ground.add(line) { count += 1 }
    #expect(count == 60)
    let full = ground.message(counter: 1, of: link)
    let empty = WatchGround(around: Samples.lisbon, unit: 1).message(counter: 1, of: link)
    #expect(full.sealed.utf8.count == empty.sealed.utf8.count)
    #expect(full.opened(as: .ground, of: link)?.count == 24_576)
  }
}
