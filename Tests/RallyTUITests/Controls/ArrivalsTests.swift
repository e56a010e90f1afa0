import RallyDomain
import RallyMap
import RallyTestSupport
import Testing

@testable import RallyClient
@testable import RallyTUI
@testable import TerminalKit

@Suite struct ArrivalsTests {
  private let start = ContinuousClock.now

  @Test func `what is there at first does not move, and what comes does so once`() {
    var arrivals = Arrivals<String>(length: .milliseconds(400))
    func shown(_ ids: Set<String>, after delay: Duration = .zero) -> [String: Duration] {
      arrivals.update(ids)
      return arrivals.elapsed(at: start + delay)
    }
    #expect(shown(["ana"]).isEmpty)
    #expect(shown(["ana", "bob"]) == ["bob": .zero])
    #expect(shown(["ana", "bob"], after: .milliseconds(300)) == ["bob": .milliseconds(300)])
    #expect(shown(["ana", "bob"], after: .milliseconds(400)).isEmpty)
    #expect(shown(["bob"], after: .milliseconds(400)).isEmpty)
    #expect(shown(["ana", "bob"], after: .milliseconds(400)) == ["ana": .zero])
  }

  @Test func `a whole list that comes does not move, nor anything that came without motion`() {
    var arrivals = Arrivals<String>(length: .milliseconds(400))
    arrivals.update([])
    arrivals.update(["a", "b", "c", "d"])
    #expect(arrivals.elapsed(at: start).isEmpty)
    arrivals.update(["a", "b", "c", "d", "e"])
    arrivals.forget()
    arrivals.update(["a", "b", "c", "d", "e", "f"])
    #expect(arrivals.elapsed(at: start).isEmpty)
  }

  @Test func `motion is off by the setting, by the policy and on a slow link`() {
    var configuration = Configuration()
    #expect(configuration.showsMotion(byPolicy: true, over: .live))
    #expect(!configuration.showsMotion(byPolicy: false, over: .live))
    for link in [LinkState.polling, .stale, .connecting] {
      #expect(!configuration.showsMotion(byPolicy: true, over: link))
    }
    configuration.hasMotion = false
    #expect(!configuration.showsMotion(byPolicy: true, over: .live))
  }

  @Test func `a blink is one more frame, and no frame is asked for after it`() throws {
    let picture = MapPicture()
    let size = Size(width: 60, height: 20)
    func graph(_ names: [String], hasMotion: Bool = true) -> Graph {
      let markers = names.enumerated().map {
        MapMarker(
          id: $0.element, point: GeoPoint(latitude: 40, longitude: Double($0.offset) * 60),
          label: $0.element)
      }
      return Graph(
        size: size, table: .rally,
        root: MapCanvas(
          scene: MapScene(markers: markers, options: MapOptions()), picture: picture,
          hasMotion: hasMotion
        ) { _ in
        } onMove: { _ in
        })
    }
    let buffer = CellBuffer(size: size)
    let now = ContinuousClock.now
    #expect(graph(["ana"]).paint(into: buffer, at: now).nextFrame == nil)
    let both = graph(["ana", "bob"])
    #expect(both.paint(into: buffer, at: now).nextFrame == picture.arrivals.length)
    let pin = try #require(picture.frame?.pin(of: "bob"))
    #expect(buffer[pin.column, pin.row].style.attributes.contains(.reverse))
    #expect(both.paint(into: buffer, at: now + picture.arrivals.length).nextFrame == nil)
    #expect(!buffer[pin.column, pin.row].style.attributes.contains(.reverse))
    // Without motion nothing is remembered, and nothing moves afterwards.
    let names = ["ana", "bob", "cid"]
    #expect(graph(names, hasMotion: false).paint(into: buffer, at: now).nextFrame == nil)
    #expect(graph(names).paint(into: buffer, at: now).nextFrame == nil)
  }
}
