import Foundation
import RallyGate
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

/// Random people who befriend, block, share, move and wait, against a model of who may see what.
@Suite(.everyEngine) struct LocationPrivacyTests {
  private static let people = 5
  private static let start = WireTime("2026-08-01T12:00:00Z")!

  /// What the rules say, as simply as they can be said.
  private struct Model {
    var friends: Set<Set<Int>> = []
    var requests: Set<[Int]> = []
    var blocks: Set<[Int]> = []
    var decisions: [[Int]: Sharing] = [:]
    var places: [Int: Coordinate] = [:]
    var times: [Int: WireTime] = [:]

    func mode(of owner: Int, for reader: Int, at time: WireTime) -> SharingMode {
      guard friends.contains([owner, reader]) else { return .off }
      for key in [[owner, reader], [owner, owner]] {
        if let sharing = decisions[key], sharing.holds(at: time) { return sharing.mode }
      }
      return .off
    }

    func limit(of owner: Int, at time: WireTime) -> SharingMode {
      (0..<people).filter { $0 != owner }.map { mode(of: owner, for: $0, at: time) }.max() ?? .off
    }

    mutating func part(_ a: Int, _ b: Int) {
      friends.remove([a, b])
      requests.remove([a, b])
      requests.remove([b, a])
      decisions[[a, b]] = nil
      decisions[[b, a]] = nil
    }
  }

  // MARK: - Steps

  /// Does one random thing in the world and in the model.
  private static func step(
    _ world: ServerWorld, _ model: inout Model, using numbers: inout SeededGenerator
  ) async throws {
    let a = Int.random(in: 0..<people, using: &numbers)
    let b = (a + Int.random(in: 1..<people, using: &numbers)) % people
    let (other, now) = (world.members[b].id, world.now)
    let isBlocked = model.blocks.contains([a, b]) || model.blocks.contains([b, a])
    switch Int.random(in: 0..<36, using: &numbers) {
    case 0..<9:
      let place = Coordinate.at(
        38 + .random(in: -0.3...0.3, using: &numbers), -9 + .random(in: -0.3...0.3, using: &numbers)
      )
      let cut = SharingMode.allCases[Int.random(in: 1...9, using: &numbers).clamped(to: 1...3)]
      try await world.call(
        PublishLocations(locations: [.sample(place, at: now, precision: cut)]), as: a)
      if model.limit(of: a, at: now) > .off {
        model.places[a] = place
        model.times[a] = now
      }
    case 9..<14:
      let mode = SharingMode.allCases[Int.random(in: 0...3, using: &numbers)]
      let until =
        Bool.random(using: &numbers)
        ? now.advanced(by: .seconds(Int64.random(in: 1...4000, using: &numbers))) : nil
      let friend = Int.random(in: 0...3, using: &numbers) == 0 ? nil : b
      try await world.share(mode, of: a, with: friend, until: until)
      if friend == nil || model.friends.contains([a, b]) {
        model.decisions[[a, friend ?? a]] = Sharing(mode: mode, until: until)
      }
    case 14..<20:
      try await world.call(RequestFriend(userID: other), as: a)
      if !isBlocked, !model.friends.contains([a, b]) {
        if model.requests.remove([b, a]) != nil {
          model.friends.insert([a, b])
        } else {
          model.requests.insert([a, b])
        }
      }
    case 20..<26:
      try await world.call(RespondToFriendRequest(userID: other, accept: true), as: a)
      if model.requests.remove([b, a]) != nil { model.friends.insert([a, b]) }
    case 26:
      try await world.call(RemoveFriend(userID: other), as: a)
      if model.friends.contains([a, b]) { model.part(a, b) }
    case 27:
      try await world.call(BlockUser(userID: other), as: a)
      if !model.blocks.contains([b, a]) {
        model.blocks.insert([a, b])
        model.part(a, b)
      }
    case 28..<32:
      try await world.call(UnblockUser(userID: other), as: a)
      model.blocks.remove([a, b])
    default:
      world.now = now.advanced(by: .seconds(Int64.random(in: 1...3000, using: &numbers)))
    }
  }

  // MARK: - Checks

  /// What a reader fetches, checked against the model.
  private static func check(
    rowsOf reader: Int, in world: ServerWorld, _ model: Model
  ) async throws -> [LocationRecord] {
    let rows = try await world.result(of: FetchFriendLocations(), as: reader)
    #expect(rows.map(\.userID.wireText) == rows.map(\.userID.wireText).sorted())
    for row in rows {
      let owner = try #require(world.members.firstIndex { $0.id == row.userID })
      let mode = model.mode(of: owner, for: reader, at: world.now)
      #expect(mode > .off, "\(reader) must not see \(owner)")
      #expect(row.precision <= mode)
      guard let level = row.precision.gridLevel else { continue }
      let place = try #require(row.coordinate)
      #expect(GridCell(containing: place, level: level).center == place)
      #expect(row.recordedAt == row.recordedAt.quarterHour)
      #expect(row.accuracyMetres == level.accuracyMetres)
      #expect(row.speed == nil && row.course == nil && row.battery == nil)
      #expect(row.source == "approximate")
      // The person is in that cell or has just left it.
      let real = try #require(model.places[owner])
      #expect(
        GridCell.following(GridCell(containing: place, level: level), at: real, level: level)
          .center == place)
    }
    return rows
  }

  /// What somebody is told that their friends see is what those fetch.
  private static func check(
    sharingOf owner: Int, in world: ServerWorld, _ model: Model, fetched: [[LocationRecord]]
  ) async throws {
    for record in try await world.result(of: FetchLocationSharing(), as: owner).dropFirst() {
      let friend = try #require(
        world.members.firstIndex { $0.id == record.userID })
      #expect(
        record.location == fetched[friend].first { $0.userID == world.members[owner].id })
      #expect(record.mode == model.mode(of: owner, for: friend, at: world.now))
    }
  }

  /// What is stored is never finer than what the most exact friend may see.
  private static func check(
    storedOf owner: Int, in world: ServerWorld, _ model: Model
  ) async throws {
    let limit = model.limit(of: owner, at: world.now)
    guard let stored = try await world.stored(of: owner) else { return }
    #expect(limit > .off)
    #expect(stored.precision <= limit)
    guard let announced = stored.announced(for: stored.precision) else {
      #expect(stored.coordinate == model.places[owner])
      return
    }
    #expect(stored.coordinate == announced.cell.center)
    #expect(stored.details == nil)
    #expect(stored.recordedAt == stored.recordedAt.quarterHour)
    #expect(stored.precision == .approximate1km || stored.fine == nil)
  }

  @Test(arguments: [21, 22, 23] as [UInt64])
  func `nobody ever sees, hears or keeps more than the rules say`(_ seed: UInt64) async throws {
    var numbers = SeededGenerator(seed: seed)
    let world = try await ServerWorld(members: Self.people, at: Self.start)
    var model = Model()
    for a in 0..<Self.people {
      // Few are precise for all, so that the most exact friend is often a single one.
      let mode = SharingMode.allCases[a % 4].atLeastCoarse
      try await world.share(mode, of: a)
      model.decisions[[a, a]] = Sharing(mode: mode, until: nil)
      for b in 0..<a {
        try await world.befriend(a, b)
        model.friends.insert([a, b])
      }
    }
    var listeners = Array(repeating: PositionListener(), count: Self.people)
    var shown: [SharingMode: Int] = [:]
    for _ in 0..<70 {
      for _ in 0..<Int.random(in: 1...2, using: &numbers) {
        try await Self.step(world, &model, using: &numbers)
      }
      // Before the feed has looked at the clock, rows already go by it.
      var fetched: [[LocationRecord]] = []
      for reader in 0..<Self.people {
        fetched.append(try await Self.check(rowsOf: reader, in: world, model))
      }
      for owner in 0..<Self.people {
        try await Self.check(sharingOf: owner, in: world, model, fetched: fetched)
      }
      try await world.turn()
      for reader in 0..<Self.people {
        for frame in await world.frames(for: reader) { try listeners[reader].hear(frame) }
        // Whoever only listened knows exactly what they would fetch, one's own row aside.
        let own = world.members[reader].id
        let heard = listeners[reader].rows.values.filter { $0.userID != own }
          .sorted { $0.userID.wireText < $1.userID.wireText }
        #expect(heard == fetched[reader])
        #expect(
          try await world.result(of: FetchFriendLocations(), as: reader) == fetched[reader])
        try await Self.check(storedOf: reader, in: world, model)
        for row in heard { shown[row.precision, default: 0] += 1 }
      }
    }
    // The walk came by everything that is worth checking.
    #expect(
      shown.keys.sorted() == [.approximate10km, .approximate1km, .precise]
        || !SeededGenerator.isUsual)
  }
}

extension SharingMode {
  fileprivate var atLeastCoarse: SharingMode { max(self, .approximate10km) }
}

extension Int {
  fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
