import Foundation
import RallyStorage
import RallyWire

/// Takes the reports of a person's devices by the rule between them (`LocationDevice`); a ghost's are
/// dropped.
package enum DeviceReports {
  /// Publishes a report, unless another device tells more of where the person is.
  ///
  /// - Parameter device: The phone's id, or that of the session.
  @discardableResult
  package static func publish(
    _ report: LocationReport, from device: String, of owner: UUID, moves: CellMoves,
    at now: WireTime, in database: Database
  ) throws -> PublishOutcome {
    let id = owner.wireText
    guard try !GhostRecords.contains(id, in: database) else { return .unseen }
    let known = try LocationDeviceRecords.all(of: id, in: database)
    let state = LocationDevice(report, from: device, at: now, after: known.devices[device]) {
      moves.marks.mark($0, of: owner)
    }
    guard let state else { return .outdated }
    if let shown = known.shown, !state.replaces(shown, at: now) {
      try LocationDeviceRecords.set(state, of: id, isShown: false, in: database)
      return .outdated
    }
    let outcome = try LocationReconciler.publish(
      report, by: owner, heardAt: known.shown?.reportedAt, moves: moves, at: now, in: database)
    guard outcome == .stored else { return outcome == .unseen ? .unseen : .outdated }
    try LocationDeviceRecords.set(state, of: id, isShown: true, in: database)
    return .taken
  }
}
