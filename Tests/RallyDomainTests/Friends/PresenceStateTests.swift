import Foundation
import RallyTestSupport
import RallyText
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
    var presence = PresenceState()
    presence.replace(with: entry(1, "a", "b"))
    presence.apply(["joins": [:], "leaves": entry(1, "a")])
    #expect(presence.online == [Samples.id(1)])
    presence.apply(["joins": [:], "leaves": entry(1, "b")])
    #expect(presence.online == [])
  }

  @Test func `an update of a person is no absence`() {
    var presence = PresenceState()
    presence.replace(with: entry(1, "a"))
    presence.apply(["joins": entry(1, "b"), "leaves": entry(1, "a")])
    #expect(presence.online == [Samples.id(1)])
  }

  @Test func `no more people are there than anybody has friends`() {
    var presence = PresenceState()
    let joins = (0...Pages.mostRows).map { _ in
      (UUID().wireText, ["metas": [["phx_ref": "x"]]] as JSONValue)
    }
    presence.apply(["joins": .object(Dictionary(uniqueKeysWithValues: joins)), "leaves": [:]])
    #expect(presence.online.count == Pages.mostRows)
    let present = presence.online.first?.wireText ?? ""
    presence.apply(["joins": [:], "leaves": [present: ["metas": [["phx_ref": "x"]]]]])
    #expect(presence.online.count == Pages.mostRows - 1)
  }

  @Test func `keys that are no people and leaves of strangers are ignored`() {
    var presence = PresenceState()
    presence.replace(with: ["somebody": ["metas": [["phx_ref": "x"]]]])
    presence.apply(["joins": [:], "leaves": entry(7, "z")])
    #expect(presence.online == [])
  }
}
