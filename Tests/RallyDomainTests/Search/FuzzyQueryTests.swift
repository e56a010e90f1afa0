import Foundation
import RallyTestSupport
import Testing

@testable import RallyDomain

@Suite struct FuzzyQueryTests {
  /// The texts that are found, the best first.
  private func found(_ query: String, in texts: [String]) -> [String] {
    let index = SearchIndex(texts, fields: [{ $0 }])
    return index.hits(for: FuzzyQuery(query))
      .sorted { ($0.score, -$0.length, -$0.number) > ($1.score, -$1.length, -$1.number) }
      .map { texts[$0.number] }
  }

  @Test(arguments: [
    ("ap", ["grape pie", "Ana Pereira"], "Ana Pereira"),  // beginnings of words
    ("ana", ["a nice area", "banana", "Ana"], "Ana"),  // beside each other, at a beginning
    ("oll", ["pool salt", "roller"], "roller"),  // a run beats letters that are apart
    ("ci", ["chasing", "checkIn"], "checkIn"),  // a hump of camel case
    ("rui", ["rui costa the second", "rui costa"], "rui costa"),  // the shorter one
    ("f2", ["fog run at 12", "fog run2"], "fog run2"),  // where a number begins
  ])
  func `what a person means comes first`(_ query: String, _ texts: [String], _ best: String) {
    #expect(found(query, in: texts).first == best)
  }

  @Test func `letters are needed in their order, case and accents are not`() {
    #expect(found("lgz", in: ["Lucía Gómez", "Gómez Lucía"]) == ["Lucía Gómez"])
    #expect(found("LUCIA", in: ["Lucía Gómez"]) == ["Lucía Gómez"])
    #expect(found("健", in: ["田中 健司", "Ana"]) == ["田中 健司"])
    #expect(found("zz", in: ["Zoe"]) == [])
  }

  @Test func `several words are each looked for, in any order`() {
    #expect(found("per ana", in: ["Ana Pereira", "Ana Costa"]) == ["Ana Pereira"])
    #expect(found("  ", in: ["Ana"]) == [])
  }

  @Test func `the letters that were found are the ones that count most`() {
    #expect(FuzzyQuery("ap").matches(in: "Ana Pereira") == [0, 4])
    #expect(FuzzyQuery("ana").matches(in: "banana ana") == [7, 8, 9])
    #expect(FuzzyQuery("go").matches(in: "Lucía Gómez") == [6, 7])
    #expect(FuzzyQuery("x").matches(in: "Ana") == nil)
    #expect(FuzzyQuery("👨‍👩‍👧e").matches(in: "a👨‍👩‍👧e") == [1, 2], "characters, not units")
  }

  @Test func `every letter is folded as the library folds it, alone and beside others`() {
    var others: [String] = []
    for value in UInt32(0x20)..<0x3100 {
      guard let scalar = Unicode.Scalar(value), scalar.properties.isAlphabetic,
        // But an Armenian ligature with an accent, Indic vowel signs on Latin letters, and what is
        // younger than the library's table.
        value != 0x587, scalar.properties.generalCategory != .spacingMark,
        let age = scalar.properties.age, age.major <= 15
      else { continue }
      // A mark that joins the letter before it takes the long way.
      for text in ["\(scalar)", "a\(scalar)\u{301}b", "x \(scalar)"] {
        let folded = FoldedText(text)
        // Of some capital letters the library keeps the accent, though not of the small ones.
        let wanted = text.map {
          String($0).lowercased().folding(
            options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        }.joined()
        if Array(folded.units) != Array(wanted.utf16)
          || folded.units.count != folded.bonuses.count
          || folded.units.count != folded.characters.count
        {
          others.append(text)
        }
      }
    }
    #expect(others.isEmpty)
  }

  @Test func `a longer query of the same words needs to be looked for only in what was found`() {
    #expect(FuzzyQuery("ana").narrows(FuzzyQuery("an")))
    #expect(FuzzyQuery("an p").narrows(FuzzyQuery("an")))
    #expect(!FuzzyQuery("an").narrows(FuzzyQuery("ana")))
    #expect(!FuzzyQuery("ban").narrows(FuzzyQuery("an")))
    #expect(!FuzzyQuery("an").narrows(FuzzyQuery("")))
  }

  @Test func `what is shown as found is the query itself, wherever it stands`() {
    var random = SeededGenerator(seed: 7)
    let letters = Array("ab -A1")
    for _ in 0..<2000 {
      let text = String(
        (0..<Int.random(in: 1...12, using: &random)).map { _ in
          letters[Int.random(in: 0..<letters.count, using: &random)]
        })
      let term = String(
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
          ["a", "b", "1"][Int.random(in: 0..<3, using: &random)]
        })
      let query = FuzzyQuery(term)
      guard let places = query.matches(in: text) else {
        #expect(found(term, in: [text]) == [])
        continue
      }
      let characters = Array(text.lowercased())
      #expect(String(places.sorted().map { characters[$0] }) == term, "\(term) in \(text)")
    }
  }
}
