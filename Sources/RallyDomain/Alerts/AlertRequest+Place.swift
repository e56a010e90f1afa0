import RallyText
import RallyWire

extension AlertRequest {
  /// Finds the place that is named: a mission by its title, what `find` knows, or a mission by a part
  /// of its title. Where no distance was typed, a mission's radius is the distance.
  ///
  /// - Returns: Nil where no place is named.
  /// - Throws: `FieldProblem` of `find` for a place that nobody knows.
  public mutating func findPlace(
    among missions: [Mission], else find: @Sendable (String) async throws(FieldProblem) -> Place
  ) async throws(FieldProblem) -> Place? {
    guard case .named(let text) = place else { return nil }
    if let mission = missions.first(where: { $0.title.folded == text.folded }) {
      return take(mission)
    }
    do throws(FieldProblem) {
      return try await find(text)
    } catch {
      guard let mission = missions.first(where: { $0.title.foldedContains(text) }) else {
        throw error
      }
      return take(mission)
    }
  }

  private mutating func take(_ mission: Mission) -> Place {
    metres = metres ?? max(mission.radiusMetres, LocationAlert.distances.lowerBound)
    return Place(name: mission.title, coordinate: mission.centre)
  }
}
