import Foundation
import RallyGate
import RallyRules
import RallyStorage
import RallyWire

extension Coordinate {
  /// A place by degrees that are known to be on the globe.
  package static func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
    Coordinate(latitude: latitude, longitude: longitude)!
  }

  package static let lisbon = Coordinate.at(38.7223, -9.1393)
  /// In Lisbon's cells of both sizes.
  package static let acrossTheStreet = Coordinate.at(38.7226, -9.1391)
  /// In another small cell, in the same large one.
  package static let downtown = Coordinate.at(38.7079, -9.1366)
  package static let porto = Coordinate.at(41.1496, -8.6109)
}

extension LocationReport {
  package static func sample(
    _ place: Coordinate = .lisbon, at time: WireTime = .now, precision: SharingMode? = nil
  ) -> LocationReport {
    LocationReport(
      coordinate: place, accuracyMetres: 12, speed: 1.5, course: 90, battery: 80,
      recordedAt: time, source: "gps", precision: precision)
  }
}

extension Person {
  package func publish(_ reports: LocationReport..., clientID: UUID? = nil) async throws {
    _ = try await result(of: PublishLocations(locations: reports), clientID: clientID)
  }

  /// - Parameter friend: nil for the default.
  package func share(
    _ mode: SharingMode, with friend: Person? = nil, until: WireTime? = nil
  ) async throws {
    _ = try await result(of: SetLocationSharing(userID: friend?.id, mode: mode, until: until))
  }

  /// What this person sees of another one.
  package func location(of other: Person) async throws -> LocationRecord? {
    try await result(of: FetchFriendLocations()).first { $0.userID == other.id }
  }
}

extension CellMoves {
  /// Announces every move at once, with a key of its own.
  package static func immediate() throws -> CellMoves { try with(.none) }

  package static func with(_ delay: MoveDelay) throws -> CellMoves {
    CellMoves(delay: delay, marks: CellMarks(keys: KeyRing(try ServerKeys())))
  }
}
