import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

@Suite struct TrackerIDsTests {
  private static func person(_ name: String, username: String = "user") -> ProfileRecord {
    ProfileRecord(
      id: UUID(), username: username, displayName: name, bio: "", version: 1,
      createdAt: WireTime(microseconds: 0))
  }

  @Test(arguments: [
    ("Ana Silva", "AS"), ("bob", "BO"), ("Óscar Änderson", "OA"), ("x", "XA"), ("李雷", "US"),
    ("🧑‍🚀 Zoë", "ZO"), ("Ana  Maria de Sá", "AM"), ("R2", "R2"),
  ]) func `an id is taken from the name`(_ name: String, _ expected: String) {
    let person = Self.person(name)
    #expect(TrackerIDs.assigned(to: [person])[person.id] == expected)
  }

  @Test func `a thousand people of one name have ids of their own, in any order`() {
    let people = (0..<1000).map { _ in Self.person("Ana Silva") } + [Self.person("", username: "_")]
    let ids = TrackerIDs.assigned(to: people)
    #expect(ids.count == 1001)
    #expect(Set(ids.values).count == 1001)
    #expect(ids.values.allSatisfy { $0.count == 2 && $0.utf8.count == 2 })
    #expect(TrackerIDs.assigned(to: people.reversed()) == ids)
  }

  @Test func `more people than ids leave some without`() {
    let people = (0..<1400).map { _ in Self.person("Ana") }
    #expect(TrackerIDs.assigned(to: people).count == 36 * 36)
  }
}
