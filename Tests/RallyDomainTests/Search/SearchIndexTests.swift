import RallyTestSupport
import Testing

@testable import RallyDomain

@Suite struct SearchIndexTests {
  private let people = [
    "Ana Pereira|@ana", "田中 健司|@kenji", "Lucía Gómez|@lu", "Max Lind|@max",
  ]

  private var index: SearchIndex {
    SearchIndex(
      people.map { $0.split(separator: "|").map(String.init) }, fields: [{ $0[0] }, { $0[1] }])
  }

  @Test(arguments: [
    ("an", [0]), ("lucia", [2]), ("GÓM", [2]), ("健", [1]), ("@lu", [2]), (" max ", [3]),
    ("e", [0, 1, 2]), ("zz", []), ("a@", []), ("aana", []),
  ])
  func `a part of a name or a username is found, without regard to case and accents`(
    _ typed: String, _ numbers: [Int32]
  ) {
    #expect(index.numbers(containing: typed) == numbers)
  }

  @Test func `nothing typed asks for nobody in particular`() {
    #expect(index.numbers(containing: "") == nil)
    #expect(index.numbers(containing: " @ ") == nil)
  }

  @Test func `a longer term may look only at what the shorter one left`() {
    let left = index.numbers(containing: "a") ?? []
    #expect(left == [0, 1, 2, 3].filter { index.numbers(containing: "a")?.contains($0) == true })
    #expect(index.numbers(containing: "an", among: left) == index.numbers(containing: "an"))
    #expect(index.numbers(containing: "an", among: [3]) == [])
  }

  @Test func `it finds what the profile itself says that it matches`() {
    let profiles = (0..<Samples.names.count).map { Samples.person($0) }
    let index = SearchIndex(profiles, fields: CommunityProfile.searchedFields)
    for query in ["a", "an", "ó", "rey", "健", "o", "@in", "lu", "é", "Z"] {
      let expected = profiles.indices.filter { profiles[$0].matches(query) }.map(Int32.init)
      #expect(index.numbers(containing: query) == expected, "\(query)")
    }
  }
}
