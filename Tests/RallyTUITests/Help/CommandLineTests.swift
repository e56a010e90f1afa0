import RallyDomain
import Testing

@testable import RallyTUI

/// What the command line offers while one types.
struct CommandLineTests {
  private func offered(_ text: String) -> [String] {
    CommandInput.completions(
      of: text, available: [], friends: ["bob", "bea", "cleo"], finder: .world)
  }

  @Test(arguments: [
    ("here lis", "here Lisbon"), ("go new y", "go New York City"), ("go paris", "go Paris"),
    ("streets lisb", "streets Lisbon"),
    ("here au", "here auto"), ("share pre", "share precise"), ("zoom w", "zoom world"),
    ("theme hi", "theme high-contrast"), ("policy low-d", "policy low-data"), ("the", "theme"),
  ])
  func `the first completion is what is most likely meant`(typed: String, first: String) {
    #expect(offered(typed).first == first)
  }

  @Test func `cities of one name are told by their state or country, and a letter offers none`() {
    let paris = offered("go paris")
    #expect(paris.contains("go Paris, Texas"), "\(paris)")
    #expect(Set(paris).count == paris.count)
    #expect(offered("go l").isEmpty)
    #expect(offered("here ").isEmpty)
    #expect(offered("here Lisbon for").isEmpty)
  }

  @Test func `friends are offered where a name stands`() {
    #expect(offered("share city b") == ["share city bob", "share city bea"])
    #expect(offered("share city b x").isEmpty)
    #expect(offered("nothing b").isEmpty)
  }
}
