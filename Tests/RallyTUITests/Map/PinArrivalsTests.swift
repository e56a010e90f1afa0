import RallyDomain
import RallyMap
import RallyTestSupport
import Testing

@testable import RallyTUI
@testable import TerminalKit

@MainActor @Suite struct PinArrivalsTests {
  private let start = ContinuousClock.now

  @Test func `what is there at first does not blink, and what comes does so once`() {
    var arrivals = PinArrivals()
    let none = arrivals.update(["ana"], isShown: true, at: start)
    #expect(none == nil)
    let first = arrivals.update(["ana", "bob"], isShown: true, at: start)
    #expect(first?.ids == ["bob"])
    #expect(first?.rest == PinArrivals.length)
    let later = arrivals.update(["ana", "bob"], isShown: true, at: start + .milliseconds(300))
    #expect(later?.rest == .milliseconds(100))
    let last = arrivals.update(["ana", "bob"], isShown: true, at: start + PinArrivals.length)
    #expect(last == nil)
  }

  @Test func `a whole list that comes does not blink, nor anything without motion`() {
    var arrivals = PinArrivals()
    var blinking: [Set<String>] = []
    for (ids, isShown) in [
      ([], true), (["a", "b", "c", "d"], true), (["a", "b", "c", "d", "e"], false),
      (["a", "b", "c", "d", "e"], true),
    ] {
      if let shown = arrivals.update(Set(ids), isShown: isShown, at: start) {
        blinking.append(shown.ids)
      }
    }
    #expect(blinking.isEmpty)
  }

  @Test func `motion is off by the setting, where the device is constrained and on a slow link`() {
    var configuration = Configuration()
    #expect(configuration.showsMotion(at: .normal, over: .live))
    #expect(!configuration.showsMotion(at: .constrained, over: .live))
    #expect(!configuration.showsMotion(at: .critical, over: .live))
    for link in [LinkState.polling, .stale, .connecting] {
      #expect(!configuration.showsMotion(at: .normal, over: link))
    }
    configuration.hasMotion = false
    #expect(!configuration.showsMotion(at: .normal, over: .live))
  }

  @Test func `a blink is one more frame, and no frame is asked for after it`() throws {
    let picture = MapPicture()
    let size = Size(width: 60, height: 20)
    func graph(_ names: [String]) -> Graph {
      let markers = names.enumerated().map {
        MapMarker(
          id: $0.element, point: GeoPoint(latitude: 40, longitude: Double($0.offset) * 60),
          label: $0.element)
      }
      return Graph(
        size: size, table: .rally,
        root: MapCanvas(
          scene: MapScene(markers: markers, options: MapOptions()), picture: picture,
          hasMotion: true
        ) { _ in
        } onMove: { _ in
        })
    }
    let buffer = CellBuffer(size: size)
    let now = ContinuousClock.now
    #expect(graph(["ana"]).paint(into: buffer, at: now).nextFrame == nil)
    let both = graph(["ana", "bob"])
    #expect(both.paint(into: buffer, at: now).nextFrame == PinArrivals.length)
    let pin = try #require(picture.frame?.pin(of: "bob"))
    #expect(buffer[pin.column, pin.row].style.attributes.contains(.reverse))
    #expect(both.paint(into: buffer, at: now + PinArrivals.length).nextFrame == nil)
    #expect(!buffer[pin.column, pin.row].style.attributes.contains(.reverse))
  }
}
