import RallyText
import Testing

struct SortedSearchTests {
  @Test(arguments: 0...9)
  func `the first place is where everything before is smaller`(count: Int) {
    // Each number twice, and the places as those of a part.
    let numbers = (0..<count).map { $0 / 2 * 2 }[(count / 3)...]
    for wanted in -1...count + 1 {
      let place = numbers.firstPlace { $0 < wanted }
      #expect(numbers[..<place].allSatisfy { $0 < wanted })
      #expect(numbers[place...].allSatisfy { $0 >= wanted })
    }
  }

  @Test func `it asks a few times among thousands`() {
    var asked = 0
    let place = (0..<10_000).firstPlace { number in
      asked += 1
      return number < 7321
    }
    #expect(place == 7321)
    #expect(asked <= 14)
  }
}
