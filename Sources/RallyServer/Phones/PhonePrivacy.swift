import RallyGate
import RallyRules
import RallyStorage
import RallyWire

/// The zones and hours that a phone's owner keeps with the account, applied in memory to what the
/// phone sends.
struct PhonePrivacy: Sendable {
  /// A position of which at least something may be stored.
  struct Allowed: Sendable {
    let measuredAt: WireTime
    fileprivate let report: LocationReport
    fileprivate let mode: SharingMode

    /// What is stored of it; nil for nothing new.
    ///
    /// As on the owner's other machines, the edge of a zone of which the city is left tells
    /// nothing: what is stored stays and ages, until the phone is in another city or maps do not
    /// show it any more.
    ///
    /// - Parameter stored: The owner's position as it is stored.
    func report(after stored: StoredLocation?) -> LocationReport? {
      guard let level = mode.gridLevel, let place = report.coordinate else { return report }
      let previous = stored.flatMap { stored -> GridCell? in
        let age = report.recordedAt.since(stored.recordedAt)
        let isShown =
          stored.precision <= mode || WithheldReason(age: age, precision: stored.precision) == nil
        return isShown ? stored.announced(at: level).map { $0.pending?.cell ?? $0.cell } : nil
      }
      let cell = GridCell.following(previous, at: place, level: level)
      return cell == previous ? nil : LocationReport(in: cell, at: report.recordedAt)
    }
  }

  let rules: PrivacyRules?

  init(of owner: String, in database: Database) throws {
    rules = try PrivacyRuleRecords.find(owner, in: database)
  }

  /// - Returns: nil if nothing of it may be stored, not even that it came.
  func allowed(_ fix: PhoneFix.Taken, at now: WireTime) -> Allowed? {
    guard let place = fix.report.coordinate else { return nil }
    let limit =
      rules?.limit(
        at: place, accuracyMetres: fix.report.accuracyMetres, measuredAt: fix.measuredAt, now: now)
      ?? .none
    guard limit.mode > .off else { return nil }
    return Allowed(measuredAt: fix.measuredAt, report: fix.report, mode: limit.mode)
  }
}
