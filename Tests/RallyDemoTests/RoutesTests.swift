import Foundation
import RallyMap
import RallyStreets
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDemo

struct RoutesTests {
  /// Coasts of the packed world are exact to about this much; metres.
  private static let coastTolerance = 3000.0
  /// How far apart two looks at a way are; metres.
  private static let step = 2000.0

  @Test(arguments: Cast.all)
  func `everybody is as fast as their way of getting about`(_ member: CastMember) {
    let route = member.route
    #expect(route.travel.speeds.contains(route.speed))
    var last = route.stand(after: .zero)
    for second in stride(from: 10, through: 3600, by: 10) {
      let stand = route.stand(after: .seconds(second))
      let metres = last.point.distance(to: stand.point)
      // A corner is cut by the straight line between two looks, never lengthened.
      #expect(metres <= route.speed * 10 * 1.001, "\(member.username) after \(second) s")
      last = stand
    }
  }

  @Test(arguments: Cast.all)
  func `walkers stay on land and sailors at sea`(_ member: CastMember) throws {
    let route = member.route
    guard route.travel.ground != .any else { return }
    let looks = max(Int(route.length / Self.step), 12)
    for look in 0..<looks {
      let metres = route.length * Double(look) / Double(looks) - route.begun
      let stand = route.stand(after: .seconds(metres / route.speed))
      let place: Comment = "\(member.username) at \(stand.point.latitude) \(stand.point.longitude)"
      switch route.travel.ground {
      case .land:
        #expect(
          try WorldMap.shared.country(at: stand.point, within: Self.coastTolerance) != nil, place)
      case .sea: #expect(try WorldMap.shared.country(at: stand.point) == nil, place)
      case .any: break
      }
    }
  }

  @Test func `in Monaco people keep to the roads that come with the program`() throws {
    let folder = try TemporaryFolder()
    let streets = folder.file("data/streets")
    try DemoStreets.write(into: streets)
    #expect(folder.permissions(of: "data/streets") == 0o700)
    #expect(folder.permissions(of: "data/streets/monaco.pmtiles") == 0o600)
    let roads = try Roads(ofZoom: 14, in: "\(streets)/monaco.pmtiles")
    let near = Cast.all.filter { $0.route.waypoints[0].distance(to: Roads.monaco) < 2000 }
    let walkers = near.filter { $0.route.travel.ground == .land }
    #expect(walkers.map(\.username) == ["ana", "max", "noor", "tomas"])
    for member in walkers {
      let route = member.route
      for metres in stride(from: 0, to: route.length, by: 25) {
        let point = route.stand(after: .seconds((metres - route.begun) / route.speed)).point
        #expect(roads.are(within: 5, of: point), "\(member.username) at \(point)")
      }
    }
  }

  @Test(arguments: Cast.all)
  func `the course is the way they go`(_ member: CastMember) throws {
    let route = member.route
    let here = route.stand(after: .seconds(20))
    let course = try #require(here.course)
    let next = route.stand(after: .seconds(21))
    let way = here.point.bearing(to: next.point)
    let turn = abs((course - way + 540).truncatingRemainder(dividingBy: 360) - 180)
    #expect(turn < 2, "\(member.username): \(course) and \(way)")
  }

  @Test func `a way that ends is stood at, one that goes round begins anew`() throws {
    let there = DemoRoute(.walking, speed: 1, [(0, 0), (0, 0.001)], end: .stays)
    let after = there.stand(after: .seconds(1000))
    #expect(after.point == GeoPoint(latitude: 0, longitude: 0.001))
    #expect(after.course == nil && after.speed == 0)

    let round = DemoRoute(.walking, speed: 1, [(0, 0), (0, 0.001), (0.001, 0)], end: .round)
    let once = round.stand(after: .seconds(10))
    let again = round.stand(after: .seconds(10 + round.length))
    #expect(once.point.distance(to: again.point) < 0.1)

    let back = DemoRoute(.walking, speed: 1, [(0, 0), (0, 0.001)], end: .thereAndBack)
    let half = back.length / 2
    let (out, home) = (
      back.stand(after: .seconds(half - 20)), back.stand(after: .seconds(half + 20))
    )
    #expect(out.point.distance(to: home.point) < 0.1)
  }

  @Test func `a battery drains, and is plugged in before it is empty`() {
    let battery = Battery(charge: 50, drain: 15)
    #expect(battery.level(after: .zero) == 50)
    #expect(battery.level(after: .seconds(3600)) == 35)
    #expect(battery.level(after: .seconds(36_000)) == Battery.least)
    for member in Cast.all {
      #expect((20...100).contains(member.battery.charge) && (5...20).contains(member.battery.drain))
    }
  }

  @Test func `everybody has a name that the server takes, and one place of their own`() throws {
    for member in Cast.all {
      #expect(try Username(member.username).value == member.username)
      #expect(try ProfileText.displayName(member.displayName) == member.displayName)
      #expect(try ProfileText.bio(member.bio) == member.bio)
    }
    #expect(Set(Cast.all.map(\.username) + [Cast.visitor.username]).count == Cast.all.count + 1)
    #expect(Set(Cast.all.map(\.sharing)).count == 3)
  }
}

extension CastMember: CustomTestStringConvertible {
  public var testDescription: String { username }
}

/// The roads of the tiles around Monaco.
private struct Roads {
  static let monaco = GeoPoint(latitude: 43.735, longitude: 7.42)

  private typealias Place = (x: Double, y: Double)

  /// In shares of the world's width.
  private var legs: [(from: Place, to: Place)] = []

  init(ofZoom zoom: Int, in path: String) throws {
    let archive = try TileArchives.open(path)
    let middle = TileAddress(containing: WorldPoint(Self.monaco), zoom: zoom)
    for x in middle.x - 1...middle.x + 1 {
      for y in middle.y - 1...middle.y + 1 {
        guard let address = TileAddress(zoom: zoom, x: x, y: y),
          let bytes = try archive.tile(at: address)
        else { continue }
        add(try GroundTile(vectorTile: bytes, at: address))
      }
    }
  }

  private mutating func add(_ tile: GroundTile) {
    let (origin, unit) = (tile.address.origin, tile.address.side / Double(tile.extent))
    func place(_ vertex: GroundTile.Vertex) -> Place {
      (origin.x + Double(vertex.x) * unit, origin.y + Double(vertex.y) * unit)
    }
    for shape in tile.shapes where (GroundKind.path...GroundKind.motorway).contains(shape.kind) {
      for part in tile.parts[Int(shape.parts.lowerBound)..<Int(shape.parts.upperBound)] {
        let run = tile.vertices[Int(part.lowerBound)..<Int(part.upperBound)].map(place)
        legs += zip(run, run.dropFirst()).map { (from: $0, to: $1) }
      }
    }
  }

  /// Whether a road comes that near to a point.
  func are(within metres: Double, of point: GeoPoint) -> Bool {
    let world = WorldPoint(point)
    let reach = metres / (40_075_016.7 * cos(point.latitude * .pi / 180))
    return legs.contains { leg in
      guard min(leg.from.x, leg.to.x) <= world.x + reach,
        max(leg.from.x, leg.to.x) >= world.x - reach
      else { return false }
      let (dx, dy) = (leg.to.x - leg.from.x, leg.to.y - leg.from.y)
      let length = dx * dx + dy * dy
      let along = (world.x - leg.from.x) * dx + (world.y - leg.from.y) * dy
      let share = length > 0 ? min(max(along / length, 0), 1) : 0
      let (x, y) = (leg.from.x + share * dx - world.x, leg.from.y + share * dy - world.y)
      return x * x + y * y <= reach * reach
    }
  }
}
