import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct PresenceStateTests {
  private func entry(_ number: Int, _ references: String...) -> JSONValue {
    .object([
      Samples.id(number).wireText: [
        "metas": .array(references.map { ["phx_ref": .string($0)] })
      ]
    ])
  }

  @Test func `a person with two connections leaves with the last`() {
    var roster = PresenceState()
    roster.replace(with: entry(1, "a", "b"))
    roster.apply(["joins": [:], "leaves": entry(1, "a")])
    #expect(roster.online == [Samples.id(1)])
    roster.apply(["joins": [:], "leaves": entry(1, "b")])
    #expect(roster.online == [])
  }

  @Test func `an update of a person is no absence`() {
    var roster = PresenceState()
    roster.replace(with: entry(1, "a"))
    roster.apply(["joins": entry(1, "b"), "leaves": entry(1, "a")])
    #expect(roster.online == [Samples.id(1)])
  }

  @Test func `no more people are there than anybody has friends`() {
    var roster = PresenceState()
    let joins = (0...Pages.mostRows).map { _ in
      (UUID().wireText, ["metas": [["phx_ref": "x"]]] as JSONValue)
    }
    roster.apply(["joins": .object(Dictionary(uniqueKeysWithValues: joins)), "leaves": [:]])
    #expect(roster.online.count == Pages.mostRows)
    let present = roster.online.first?.wireText ?? ""
    roster.apply(["joins": [:], "leaves": [present: ["metas": [["phx_ref": "x"]]]]])
    #expect(roster.online.count == Pages.mostRows - 1)
  }

  @Test func `keys that are no people and leaves of strangers are ignored`() {
    var roster = PresenceState()
    roster.replace(with: ["somebody": ["metas": [["phx_ref": "x"]]]])
    roster.apply(["joins": [:], "leaves": entry(7, "z")])
    #expect(roster.online == [])
  }
}
