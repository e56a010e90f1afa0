import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

/// What alerts tell over rows, and what they never claim.
@Suite struct LocationAlertTests {
  private let place = Samples.lisbon

  /// A friend's row so many metres north of Lisbon.
  private func row(
    _ metres: Double, accuracy: Double? = 0, precision: SharingMode = .precise, ago: Int = 0,
    of number: Int = 2, from place: Coordinate = Samples.lisbon
  ) throws -> FriendPosition {
    var record = Samples.location(
      of: number, at: place.offset(east: 0, north: metres), precision: precision,
      recordedAt: Samples.time.advanced(by: .seconds(-ago)))
    record.accuracyMetres = precision.gridLevel?.accuracyMetres ?? accuracy
    return try #require(FriendPosition(record, of: Samples.friend(number)))
  }

  private func scene(
    _ positions: [FriendPosition], me: LocationAlert.Spot? = nil, friends: [Int] = [2, 3]
  ) -> AlertScene {
    AlertScene(friends: friends.map { Samples.friend($0) }, positions: positions, me: me)
  }

  /// An alert about friend 2, who is in the scene.
  private func alert(
    _ text: String, _ scene: AlertScene? = nil
  ) throws -> LocationAlert {
    let request = try AlertRequest(
      text.split(separator: " ").map(String.init), now: Samples.time, timeZone: .utc)
    let named: Place? =
      if case .named(let name) = request.place { Place(name: name, coordinate: place) } else { nil }
    return try LocationAlert(request, at: named, in: scene ?? self.scene([]))
  }

  private func told(
    _ alert: LocationAlert, _ scenes: [AlertScene], at now: WireTime = Samples.time
  ) -> [[String]] {
    var kept = KeptAlerts([alert])
    return scenes.map { kept.look(at: $0, at: now).map { "\($0.username) \($0.text)" } }
  }

  // MARK: - Near and leaving

  @Test func `near is told once, when all of the circle is within the distance`() throws {
    let near = try alert("lu near 500m Bar")
    let rows = try [(600.0, 0.0), (495, 20), (505, 0), (480, 20), (400, 0), (900, 0), (100, 0)].map
    {
      scene([try row($0.0, accuracy: $0.1)])
    }
    #expect(told(near, rows) == [[], [], [], ["lu is within 500 m of Bar"], [], [], []])
  }

  @Test func `leaving is told once, of who was within the distance, past a margin`() throws {
    let leaves = try alert("lu leaves Bar")
    #expect(leaves.metres == 200)
    let rows = try [900.0, 205, 195, 205, 199, 219, 225, 100, 900].map { scene([try row($0)]) }
    #expect(
      told(leaves, rows)
        == [[], [], [], [], [], [], ["lu has left Bar: more than 200 m away"], [], []])
  }

  @Test func `stale positions, and somebody who shows none, are neither near nor gone`() throws {
    let day = 86_400
    let near = try alert("lu near 500m Bar")
    #expect(told(near, [scene([try row(0, ago: day)]), scene([])]) == [[], []])
    let leaves = try alert("lu leaves Bar")
    let scenes = try [row(0), row(900, ago: day)].map { scene([$0]) } + [scene([])]
    #expect(told(leaves, scenes) == [[], [], []])
  }

  @Test func `near me follows me, as exactly as I am known`() throws {
    let near = try alert("lu near 500m")
    let bob = try row(0)
    let here: (Double, Double) -> AlertScene = { metres, radius in
      let me = LocationAlert.Spot(place.offset(east: metres, north: 0), radiusMetres: radius)
      return scene([bob], me: me)
    }
    #expect(
      told(near, [scene([bob]), here(600, 0), here(450, 100), here(450, 10)])
        == [[], [], [], ["lu is within 500 m of you"]])
  }

  @Test func `anybody is the first one, and an old row says of when it is`() throws {
    let near = try alert("anybody near Bar")
    let rows = try scene([row(900), row(10, ago: 7200, of: 3)])
    #expect(told(near, [rows]) == [["rui was within 500 m of Bar 2 hours ago"]])
  }

  @Test func `what ended, and what is about nobody's friend, goes without a word`() throws {
    let ending = try alert("lu near Bar until 1h")
    let near = try scene([row(0)])
    #expect(told(ending, [near], at: Samples.time.advanced(by: .seconds(3600))) == [[]])
    var kept = KeptAlerts([try alert("lu near Bar"), try alert("anybody near Porto")])
    #expect(kept.look(at: scene([], friends: [3]), at: Samples.time).isEmpty)
    #expect(kept.alerts.map(\.friend) == [nil])
  }

  // MARK: - Coarse friends

  @Test func `a distance that a coarse friend cannot meet is refused with one that they can`()
    throws
  {
    for (text, precision, advice) in [
      (
        "lu near 500m Bar", SharingMode.approximate10km,
        "@lu is known to about 10 km, which is too coarse for 500 m: type at least "
      ), ("lu near 900m Bar", .approximate1km, "@lu is known to about 1 km, which is too coarse"),
      ("lu leaves Bar", .approximate1km, "@lu is known to about 1 km"),
    ] {
      let scene = scene([try row(0, precision: precision)])
      let problem = #expect(throws: FieldProblem.self) { try alert(text, scene) }
      #expect(problem?.advice.hasPrefix(advice) == true, "\(problem?.advice ?? "")")
    }
    // What is typed at least is enough.
    let coarse = scene([try row(0, precision: .approximate10km)])
    let problem = #expect(throws: FieldProblem.self) { try alert("lu near 500m Bar", coarse) }
    let least = try #require(problem?.advice.split(separator: " ").suffix(2).joined().dropLast())
    #expect(throws: Never.self) { try alert("lu near \(least) Bar", coarse) }
  }

  @Test func `leaving where a coarse friend is takes a distance that can be known`() throws {
    let cell = GridCell(containing: place, level: .oneKilometre).center
    let now = scene([try row(0, precision: .approximate1km, from: cell)])
    let leaves = try alert("lu leaves", now)
    #expect(leaves.metres == 1000)
    let later = scene([try row(2200, precision: .approximate1km, from: cell)])
    #expect(
      told(leaves, [now, later]) == [[], ["lu has left where they were: more than 1 km away"]])
  }

  @Test func `the list says what cannot be told now`() throws {
    let near = try alert("lu near 500m Bar")
    let now = Samples.time
    #expect(near.obstacle(in: scene([]), at: now) == "@lu shows you no position now")
    #expect(near.obstacle(in: scene([try row(0)]), at: now) == nil)
    #expect(
      near.obstacle(in: scene([try row(0, precision: .approximate10km)]), at: now)
        == "about 10 km is too coarse for 500 m")
    #expect(
      near.obstacle(in: scene([try row(0, accuracy: 800)]), at: now)
        == "about 800 m is too coarse for 500 m")
    #expect(
      try alert("lu near").obstacle(in: scene([row(0)]), at: now)
        == "your position is not known now")
    let coarse = LocationAlert.Spot(place, radiusMetres: 5000)
    #expect(
      try alert("lu near").obstacle(in: scene([row(0)], me: coarse), at: now)
        == "your position is only known to about 5.0 km")
    #expect(
      try alert("anybody near Bar").obstacle(
        in: scene([row(0, precision: .approximate10km)]), at: now)
        == "too coarse for 500 m: @lu")
  }

  // MARK: - Walks

  /// Somebody who walks around a place, most of the time at the edge of a distance.
  private struct Walk {
    var generator: SeededGenerator
    let centre: Coordinate
    let metres: Double
    var east = 0.0
    var north = 0.0

    init(_ seed: Int, distances: ClosedRange<Double>) {
      generator = SeededGenerator(seed: UInt64(seed))
      centre = Samples.coordinate(
        Double.random(in: -75...75, using: &generator),
        Double.random(in: -170...170, using: &generator))
      metres = Double.random(in: distances, using: &generator).rounded()
      north = metres * Double.random(in: 0.5...1.5, using: &generator)
    }

    mutating func step() -> Coordinate {
      let length = metres * (Bool.random(using: &generator) ? 0.02 : 0.3)
      east += Double.random(in: -length...length, using: &generator)
      north += Double.random(in: -length...length, using: &generator)
      // Back towards the edge.
      let away = (east * east + north * north).squareRoot()
      if away > 2 * metres { (east, north) = (east / 2, north / 2) }
      return centre.offset(east: east, north: north)
    }
  }

  /// Walks and looks at rows made of each place; checks every claim against where the person is.
  private func check(
    _ seed: Int, _ condition: LocationAlert.Condition, distances: ClosedRange<Double>,
    row: (Coordinate, inout SeededGenerator) throws -> FriendPosition
  ) throws -> Int {
    var walk = Walk(seed, distances: distances)
    let request = try AlertRequest(
      ["lu", condition.rawValue, "Bar"], now: Samples.time, timeZone: .utc)
    var alert = try LocationAlert(
      request, at: Place(name: "Bar", coordinate: walk.centre), in: scene([]))
    alert.metres = walk.metres
    var kept = KeptAlerts([alert])
    var count = 0
    var wasWithin = false
    for _ in 0..<150 {
      let truth = walk.step()
      let distance = walk.centre.distance(to: truth)
      let news = kept.look(at: scene([try row(truth, &walk.generator)]), at: Samples.time)
      wasWithin = wasWithin || distance <= walk.metres
      count += news.count
      guard !news.isEmpty else { continue }
      switch condition {
      case .near: #expect(distance <= walk.metres, "seed \(seed)")
      case .leaves: #expect(wasWithin && distance > walk.metres, "seed \(seed)")
      }
    }
    #expect(count <= 1, "seed \(seed)")
    return count
  }

  @Test func `no walk makes an alert claim what is not so, of a precise row or a cell`() throws {
    var told = 0
    for seed in 0..<300 {
      for condition in [LocationAlert.Condition.near, .leaves] {
        told += try check(seed, condition, distances: 60...3000) { truth, generator in
          let accuracy = Double.random(in: 0...60, using: &generator)
          let error = accuracy * 0.7
          return try row(
            0, accuracy: accuracy,
            from: truth.offset(
              east: .random(in: -error...error, using: &generator),
              north: .random(in: -error...error, using: &generator)))
        }
        for (precision, distances) in [
          (SharingMode.approximate10km, 8000.0...60_000), (.approximate1km, 800...6000),
        ] {
          var cell: GridCell?
          told += try check(seed, condition, distances: distances) { truth, _ in
            let level = try #require(precision.gridLevel)
            let shown = GridCell.following(cell, at: truth, level: level)
            cell = shown
            return try row(0, precision: precision, from: shown.center)
          }
        }
      }
    }
    // The walks do tell: a rule that never does would pass the rest.
    #expect(told > 600)
  }
}

extension Coordinate {
  /// The place so many metres away, near enough for some kilometres.
  fileprivate func offset(east: Double, north: Double) -> Coordinate {
    let degree = Coordinate.earthRadius * .pi / 180
    return Samples.coordinate(
      latitude + north / degree,
      longitude + east / (degree * cos(latitude * .pi / 180)))
  }
}
