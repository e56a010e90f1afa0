import Observation
import RallyTestSupport
import Testing

@testable import TerminalKit

/// What changed is laid out alone; the picture is that of a tree which was laid out as a whole.
@MainActor @Suite struct LayoutAgainTests {
  @MainActor @Observable final class Model {
    var title = "title"
    var note = "a note that may wrap over several lines when the room is small"
    var badge = ""
    var hasBanner = false
    var people = PeopleModel(count: 6)
    var isBoxed = false

    func copy() -> Model {
      let other = Model()
      (other.title, other.note, other.badge) = (title, note, badge)
      (other.hasBanner, other.isBoxed) = (hasBanner, isBoxed)
      other.people.people = people.people
      other.people.selected = people.selected
      return other
    }

    /// One change of whatever `number` picks.
    func change(_ number: Int, by random: inout SeededGenerator) {
      switch number % 8 {
      case 0: title = String(repeating: "T", count: .random(in: 1...40, using: &random))
      case 1:
        note = Array(repeating: "word", count: .random(in: 0...30, using: &random)).joined(
          separator: " ")
      case 2: badge = String(repeating: "9", count: .random(in: 0...12, using: &random))
      case 3: hasBanner.toggle()
      case 4: isBoxed.toggle()
      case 5: people.selected = .random(in: 0..<6, using: &random)
      case 6: people.people.append(Person(id: people.people.count, name: "Another"))
      default:
        people.people[0].name = String(repeating: "n", count: .random(in: 1...20, using: &random))
      }
    }
  }

  private struct Header: View {
    let model: Model

    var body: some View {
      HStack(spacing: 0) {
        Text(model.title)
        Spacer()
        Badge(model: model).layoutPriority(1)
      }
    }
  }

  private struct Badge: View {
    let model: Model
    var body: some View { Text(model.badge) }
  }

  private struct Banner: View {
    let model: Model

    var body: some View {
      if model.hasBanner { Text("banner over \(model.title)") }
    }
  }

  private struct Note: View {
    let model: Model

    var body: some View {
      if model.isBoxed {
        Box(title: "Note") { Paragraph(model.note) }
      } else {
        Paragraph(model.note)
      }
    }
  }

  private struct Whole: View {
    let model: Model

    var body: some View {
      VStack(spacing: 0) {
        Header(model: model)
        Banner(model: model)
        HStack(spacing: 1) {
          PeopleList(model: model.people).frame(maxWidth: .max, maxHeight: .max)
          VerticalRule()
          VStack(spacing: 0) {
            Note(model: model)
            Rule()
            Text("below the note")
          }
          .frame(width: 24)
        }
        Watcher(model: model)
        Title(model: model)
        Text("footer")
      }
    }
  }

  @Test(arguments: 1...12) func `after any changes the screen is as if drawn for the first time`(
    seed: UInt64
  ) async {
    // given
    var random = SeededGenerator(seed: seed)
    let model = Model()
    let screen = TestScreen(size: Size(width: 60, height: 16), root: Whole(model: model))

    for _ in 0..<40 {
      // when
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        model.change(.random(in: 0..<8, using: &random), by: &random)
      }
      await screen.waitUntilIdle()

      // then
      let fresh = TestScreen(size: Size(width: 60, height: 16), root: Whole(model: model.copy()))
      #expect(screen.picture == fresh.picture)
    }
  }

  @Test func `a change that keeps its size leaves what is around it unmeasured`() async {
    // given
    let model = Model()
    let count = LayoutCount()
    let screen = TestScreen(
      root: VStack(spacing: 0) {
        Counted(count: count)
        Header(model: model).frame(height: 1)
      })
    let before = count.measures

    // when
    model.badge = "7"
    await screen.waitUntilIdle()

    // then
    #expect(screen.picture[1].hasSuffix("7"))
    #expect(count.measures == before)
  }

  @Test func `a view that keeps its size, or draws nothing, leaves what is beside it in its place`()
    async
  {
    // given
    let model = Model()
    let count = LayoutCount()
    let screen = TestScreen(
      root: VStack(spacing: 0) {
        Counted(count: count)
        Title(model: model)
        Watcher(model: model)
      })
    let before = count.places

    // when
    model.title = "other"
    await screen.waitUntilIdle()

    // then
    #expect(screen.picture[1].hasPrefix("other"))
    #expect(count.places == before)

    // when
    model.title = "longer than it was"
    await screen.waitUntilIdle()

    // then
    #expect(screen.picture[1].hasPrefix("longer than it was"))
  }

  private struct Title: View {
    let model: Model
    var body: some View { Text(model.title) }
  }

  private struct Watcher: View {
    let model: Model
    var body: some View { EmptyView().onChange(of: model.title) { _, _ in } }
  }

  @MainActor private final class LayoutCount {
    var measures = 0
    var places = 0
  }

  private struct Counted: PrimitiveView, LayoutElement {
    let count: LayoutCount

    func update(_ node: Node) { node.layout = self }

    func measure(_ node: Node, _ proposal: Size) -> Size {
      count.measures += 1
      return Size(width: proposal.width, height: min(1, proposal.height))
    }

    func place(_ node: Node, in rect: Rect) { count.places += 1 }
  }
}
