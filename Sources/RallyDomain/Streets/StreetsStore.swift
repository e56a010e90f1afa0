import FoundationEssentials
import Logging
import Observation
import RallyClient
import RallyEnvironment
import RallyStreets
import RallySystem
import RallyText
import RallyWire

/// Streets of a city that somebody asks for: the choice of the city, what is said before anybody is
/// asked, the download, and how it ended.
///
/// Of the machine, not of an account: the archives are for all profiles.
@MainActor
@Observable
public final class StreetsStore {
  public enum Phase: Hashable, Sendable {
    case idle
    /// Several cities begin with what was typed.
    case choosing([Place])
    /// The group's own server is asked what it has of a city.
    case finding(CityStreets)
    /// Nothing is fetched before the person agrees to this.
    case asking(StreetsQuestion)
    case fetching(StreetsProgress)
  }

  public enum Ending: Hashable, Sendable {
    /// At least one tile was decoded, and all of them will be drawn.
    case added(CityStreets, tileCount: Int?, byteCount: UInt64, leftOut: Int)
    case failed(String)
    case stopped(String)
  }

  // MARK: - Dependencies
  @ObservationIgnored private nonisolated let folder: StreetFolder
  @ObservationIgnored private let finder: PlaceFinder
  @ObservationIgnored private let runtimePolicyCoordinator: RuntimePolicyCoordinator

  // MARK: - State
  public private(set) var phase = Phase.idle
  /// How the last request ended; the view clears it.
  public var ending: Ending?
  /// Grows with each archive that was added.
  public private(set) var revision = 0

  /// Whom to ask, once a city is chosen.
  @ObservationIgnored private var supply: StreetSupply?
  /// What the person is asked to agree to.
  @ObservationIgnored private var plan: Plan?
  /// What is fetched, or was last.
  @ObservationIgnored private var extract: PMTilesExtract?
  @ObservationIgnored private var task: Task<Void, Never>?
  /// Grows with each request: what an earlier one comes to is of no interest.
  @ObservationIgnored private var turn = 0
  private let log = RallyLog.logger("Streets")

  private enum Plan: Sendable {
    /// The source is asked what it has.
    case look(CityStreets, StreetSupply)
    case fetch(PMTilesExtract, CityStreets, StreetSupply)
  }

  // MARK: - Lifecycle

  /// - Parameters:
  ///   - folder: `RallyFolders.streets`.
  ///   - finder: Knows the cities.
  ///   - runtimePolicyCoordinator: Says whether anything large may be fetched now.
  public init(
    folder: String, finder: PlaceFinder, runtimePolicyCoordinator: RuntimePolicyCoordinator
  ) {
    self.folder = StreetFolder(path: folder)
    self.finder = finder
    self.runtimePolicyCoordinator = runtimePolicyCoordinator
  }

  // MARK: - The city

  /// Whether a download is on its way.
  public var isFetching: Bool { if case .fetching = phase { true } else { false } }

  /// Begins with a city that somebody names.
  ///
  /// - What: Leads to the question for the city, or to a list of cities whose names begin so.
  /// - How: A whole name in any spelling is taken; nothing is asked of anybody for that.
  /// - Why: `Roma` must not fetch the streets of Roman.
  /// - Service Calls: None
  /// - Throws: `FieldProblem` for a name that no city has, and for coordinates.
  public func begin(_ text: String, from supply: StreetSupply) throws(FieldProblem) {
    guard !isFetching else { return }
    if let place = try? finder.resolve(text, completes: false) {
      guard place.name != nil else {
        throw FieldProblem(field: .place, advice: "Name a city: :streets Lisbon.")
      }
      return choose(place, from: supply)
    }
    let places = text.trimmed.isEmpty ? [] : finder.find(text.trimmed)
    guard !places.isEmpty else {
      throw FieldProblem(
        field: .place, advice: "No city called \(text.cleanedForDisplay) is known.")
    }
    self.supply = supply
    phase = .choosing(Array(places.prefix(Self.mostChoices)))
  }

  private static let mostChoices = 8

  /// Begins with the city that I am in.
  ///
  /// - What: Leads to the question for the city around my position.
  /// - How: The middle of what is fetched is the city's. A ghost, and whoever is where their own
  ///   rules hold something back, has to name a city.
  /// - Why: Who sends the streets learns the area, and must not learn from it where I am hidden.
  /// - Service Calls: None
  /// - Parameters:
  ///   - position: Where I am, as this machine has it.
  ///   - isGhost: Also one that the server has not agreed to yet.
  ///   - limit: What my zones and hours let out there now.
  /// - Throws: `FieldProblem` that says why a city has to be named.
  public func beginHere(
    at position: Coordinate?, isGhost: Bool, limit: PrivacyLimit, from supply: StreetSupply
  ) throws(FieldProblem) {
    guard !isFetching else { return }
    let reason: String? =
      if isGhost {
        "You are a ghost"
      } else {
        switch limit.reason {
        case .zone(let name): "You are in your zone \(name.cleanedForDisplay)"
        case .hours: "You share nothing at this hour"
        case .unreadable: "Your zones cannot be read"
        case nil: nil
        }
      }
    if let reason {
      throw FieldProblem(
        field: .place,
        advice: "\(reason), so the city that you are in is told to nobody. Name one: :streets"
          + " Lisbon.")
    }
    guard let position else {
      throw FieldProblem(
        field: .place, advice: "Nobody knows where you are. Name a city: :streets Lisbon.")
    }
    choose(try city(at: position), from: supply)
  }

  /// The city around a coordinate; its middle is its own.
  ///
  /// - Throws: `FieldProblem` where no city is near.
  public func city(at coordinate: Coordinate) throws(FieldProblem) -> Place {
    guard let city = finder.nearest(coordinate),
      city.coordinate.distance(to: coordinate) <= Self.reach
    else {
      throw FieldProblem(
        field: .place, advice: "No city is known there. Name one: :streets Lisbon.")
    }
    return city
  }

  /// How far from its middle one is in a city, in metres: to the corners of the area that is taken.
  private static let reach = CityStreets.usualRadius * 1.5

  /// Takes one of the cities that a name may mean.
  ///
  /// - What: Prepares the question for that city.
  /// - How: As `choose(_:from:)`, with whom `begin` was given.
  /// - Why: Several cities begin with what was typed.
  /// - Service Calls: None
  public func choose(_ place: Place) {
    if let supply { choose(place, from: supply) }
  }

  /// Prepares the question for a city.
  ///
  /// - What: Says how much, from where, and who learns what; nothing of the source is asked yet.
  /// - How: The group's own server is asked first whether it offers the whole area.
  /// - Why: Who fetches a city tells a stranger where they may be.
  /// - Service Calls: None
  /// - Parameter supply: Whom to ask.
  public func choose(_ place: Place, from supply: StreetSupply) {
    guard !isFetching else { return }
    let streets: CityStreets
    do throws(FieldProblem) {
      streets = try CityStreets(around: place)
    } catch {
      return end(.failed(error.advice))
    }
    self.supply = supply
    if let obstacle = runtimePolicyCoordinator.downloadObstacle {
      return end(
        .failed(
          "\(obstacle) Nothing was fetched. `rally map add \(streets.name) --anyway` fetches them"
            + " all the same."))
    }
    phase = .finding(streets)
    run(streets) { store in
      guard await !store.isThere(streets.name) else {
        return store.end(
          .failed(
            "There are streets called \(streets.name) already. `rally map remove \(streets.name)`"
              + " removes them."))
      }
      if let offer = try await supply.serverOffer(of: streets) {
        let size = await store.size(offer, of: streets)
        try Task.checkCancellation()
        return store.confirm(
          ["Your group's server offers them.", size], .fetch(offer, streets, supply), streets)
      }
      guard supply.source != .none else { throw StreetSourceProblem.none }
      try Task.checkCancellation()
      let plan = Plan.look(streets, supply)
      guard supply.isRemote else { return try await store.carryOut(plan) }
      store.confirm([supply.announcement(of: streets)], plan, streets)
    }
  }

  private func confirm(_ sentences: [String], _ plan: Plan, _ streets: CityStreets) {
    self.plan = plan
    phase = .asking(StreetsQuestion(streets: streets, sentences: sentences))
  }

  // MARK: - The download

  /// The person agrees to what the question says.
  ///
  /// - What: Fetches what is missing, checks it and adds it.
  /// - How: Goes on from what an earlier request left; where the source has far more than was said,
  ///   it is asked again.
  /// - Why: Nothing is called added that the map cannot draw.
  /// - Service Calls: None
  public func agree() {
    guard case .asking(let question) = phase, let plan else { return }
    self.plan = nil
    run(question.streets) { try await $0.carryOut(plan) }
  }

  private func carryOut(_ plan: Plan) async throws {
    switch plan {
    case .look(let streets, let supply):
      phase = .fetching(StreetsProgress(streets: streets))
      let extract = try await supply.sourceOffer(of: streets, begun: begunSource(of: streets.name))
      // It was agreed to about that much.
      if supply.isRemote, extract.byteCount / 2 > max(streets.estimate, Self.unasked) {
        let size = await size(extract, of: streets)
        try Task.checkCancellation()
        return confirm(["It is more than that.", size], .fetch(extract, streets, supply), streets)
      }
      try await fetch(extract, streets, supply)
    case .fetch(let extract, let streets, let supply):
      try await fetch(extract, streets, supply)
    }
  }

  /// Up to twice as many bytes are fetched without another question, however small the area is.
  private static let unasked: UInt64 = 5_000_000

  private func fetch(
    _ extract: PMTilesExtract, _ streets: CityStreets, _ supply: StreetSupply
  ) async throws {
    self.extract = extract
    phase = .fetching(StreetsProgress(streets: streets, total: extract.byteCount))
    let leftOut = try await supply.add(
      extract, of: streets, to: folder,
      progress: { [weak self] done, total in
        Task { @MainActor in self?.note(done, of: total) }
      })
    let added = await added(streets.name)
    revision += 1
    end(.added(streets, tileCount: added.tileCount, byteCount: added.byteCount, leftOut: leftOut))
  }

  private func note(_ done: UInt64, of total: UInt64) {
    guard case .fetching(var progress) = phase else { return }
    (progress.done, progress.total) = (done, total)
    phase = .fetching(progress)
  }

  /// Stops a download; what was fetched is kept.
  public func stop() { if isFetching { task?.cancel() } }

  /// Gives up what is asked; a download goes on.
  ///
  /// - What: The question is gone, and its answer is dropped.
  /// - How: A download that was agreed to goes on.
  /// - Why: Closing a sheet must not throw megabytes away.
  /// - Service Calls: None
  public func leave() {
    guard !isFetching else { return }
    task?.cancel()
    turn += 1
    plan = nil
    phase = .idle
  }

  // MARK: - Ends

  private func run(
    _ streets: CityStreets, _ work: @escaping @MainActor (StreetsStore) async throws -> Void
  ) {
    task?.cancel()
    turn += 1
    let turn = turn
    task = Task { [weak self] in
      guard let self else { return }
      do {
        try await work(self)
      } catch {
        await failed(error, streets, turn)
      }
    }
  }

  private func failed(_ error: any Error, _ streets: CityStreets, _ turn: Int) async {
    let isBegun = await isBegun(streets.name, extract)
    guard turn == self.turn else { return }
    extract = nil
    let isStopped = error is CancellationError
    var sentence = isStopped ? "Stopped." : sentence(of: error)
    if isBegun {
      sentence += " What is there is kept: :streets \(streets.title) goes on from it."
    }
    log.info("fetch — ended: \(error.logLabel)")
    end(isStopped ? .stopped(sentence) : .failed(sentence))
  }

  private func sentence(of error: any Error) -> String {
    guard error is NetworkError, let host = supply?.source.host else { return error.sentence }
    return "\(host): \(error.sentence)"
  }

  private func end(_ ending: Ending) {
    phase = .idle
    self.ending = ending
  }

  // MARK: - The folder, off the main actor

  @concurrent private func isThere(_ name: StreetName) async -> Bool {
    folder.names.contains(name)
  }

  @concurrent private func begunSource(of name: StreetName) async -> String? {
    folder.begunSource(of: name)
  }

  @concurrent private func isBegun(
    _ name: StreetName, _ extract: PMTilesExtract?
  ) async -> Bool {
    extract.map { folder.fetched(of: $0, as: name) > 0 } ?? false
  }

  @concurrent private func added(
    _ name: StreetName
  ) async -> (tileCount: Int?, byteCount: UInt64) {
    let entry = folder.entries().first { $0.name == name }
    return (try? entry?.info?.get().tileCount, entry?.byteCount ?? 0)
  }

  @concurrent private func size(_ extract: PMTilesExtract, of streets: CityStreets)
    async -> String
  {
    extract.sizeSentence(there: folder.fetched(of: extract, as: streets.name))
  }
}

/// What the person is asked before streets are fetched.
public struct StreetsQuestion: Hashable, Sendable {
  public let streets: CityStreets
  /// How much, from where, and who learns what.
  public let sentences: [String]
}

/// How far a download is.
public struct StreetsProgress: Hashable, Sendable {
  public let streets: CityStreets
  /// Bytes of tiles that are there.
  public var done: UInt64 = 0
  /// Bytes of all; 0 until that is known.
  public var total: UInt64 = 0

  /// 0...1.
  public var share: Double { total == 0 ? 0 : min(Double(done) / Double(total), 1) }
}

extension StreetsStore {
  /// A store without a folder and without cities.
  static func inert() -> StreetsStore {
    StreetsStore(folder: "", finder: .none, runtimePolicyCoordinator: RuntimePolicyCoordinator())
  }
}

private struct StreetsStoreKey: EnvironmentKey {
  @MainActor static let defaultValue = StreetsStore.inert()
}

extension EnvironmentValues {
  /// What fetches the streets of a city.
  @MainActor public var streetsStore: StreetsStore {
    get { self[StreetsStoreKey.self] }
    set { self[StreetsStoreKey.self] = newValue }
  }
}
